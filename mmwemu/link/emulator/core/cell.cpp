#include "core/cell.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/headers.h"

namespace mmwemu {

namespace {

constexpr double kNoBits = 1e-3;  // rounding may leave this much of a served segment

/// The last byte of a packet's source or destination address; 0 if the packet is too short for it.
std::uint8_t last_byte(const Packet& packet, ClientAddress which) {
    const std::byte* ip = packet.data();
    const bool ip6 = packet.length >= kIp6Bytes && is_ip6(ip);
    if (!ip6 && packet.length < kIp4MinBytes) return 0;
    const std::size_t address_bytes = ip6 ? 16 : 4, addresses = which == ClientAddress::source ? 1 : 2;
    return load8(ip + (ip6 ? kIp6Addresses : kIp4Addresses) + addresses * address_bytes - 1);
}

}  // namespace

Cell::Cell(const CellSettings& settings, Time origin, const QueueSettings& queue, Outage outage, Bins* bins,
           ClientBins client_bins, Time epoch)
    : address_(settings.address),
      slot_(settings.slot),
      origin_(origin),
      outage_(outage),
      bins_(bins),
      client_bins_(client_bins),
      epoch_(epoch),
      scheduler_(settings.policy, settings.members.size(), settings.slot),
      now_(epoch) {
    for (const Member& member : settings.members) {
        const Cursor cursor(*member.schedule, origin - member.shift);
        clients_.push_back({cursor, cursor, cursor, make_queue(queue, bins, epoch), {}, 0, 0});
    }
}

std::uint32_t Cell::client_of(const Packet& packet) const {
    const std::uint32_t number = last_byte(packet, address_);
    return number >= 1 && number <= clients_.size() ? number - 1 : 0;
}

template <typename Work>
auto Cell::in_queue_of(Client& client, Work work) {
    const std::uint64_t before = client.queue->held().bytes;
    const auto result = work(*client.queue);
    held_bytes_ += client.queue->held().bytes - before;
    return result;
}

void Cell::record(Time now) {
    client_bins_.queues(now - epoch_, [this](std::size_t i) { return clients_[i].queue->held().bytes; });
}

void Cell::push(Time now, PacketRef packet) {
    record(now);
    const std::uint32_t segments = packet->segments;
    const std::uint32_t bytes = packet->ip_bytes(0, segments);
    const std::uint64_t number = arrived_ + 1;
    arrived_ += segments;
    const std::uint32_t index = client_of(*packet);
    Client& client = clients_[index];
    if (bins_ != nullptr) bins_->offered(now - epoch_, bytes, segments);
    client_bins_.offered(now - epoch_, index, bytes);
    const double rate_bps = client.arrivals.at(now).rate_bps;
    if (outage_ == Outage::drop && rate_bps == 0) {
        if (bins_ != nullptr) {
            bins_->dropped(now - epoch_, Drop::outage, {*packet, 0, segments, number, now - epoch_});
        }
        return;
    }
    const bool waited = client.waits(), was_idle = waiting_.empty();
    Item item{std::move(packet), 0, segments, number, now};
    in_queue_of(client, [&](Queue& queue) {
        if (!waited && std::isinf(rate_bps)) {
            queue.pass(item);
            take_up(client, std::move(item));
        } else {
            queue.push(now, std::move(item));
        }
        return true;
    });
    if (bins_ != nullptr) bins_->queue(now - epoch_, held_bytes_);
    if (waited || !client.waits()) return;
    const auto place = std::ranges::lower_bound(waiting_, index);
    if (place == waiting_.end() || *place != index) waiting_.insert(place, index);
    if (was_idle) now_ = std::max(now_, now);
    outage_to_ = now;
}

bool Cell::grant(Time until) {
    while (!waiting_.empty() && now_ < until) {
        candidates_.clear();
        Time change = kNever;
        for (const std::uint32_t i : waiting_) {
            const Span& span = clients_[i].service.at(now_);
            if (span.rate_bps > 0) {
                candidates_.push_back({i, span.rate_bps});
            } else {
                change = std::min(change, span.end);
            }
        }
        if (!candidates_.empty()) {
            granted_ = scheduler_.choose(now_, candidates_);
            granted_at_ = now_;
            granted_to_ = slot_end(now_);
            granted_bits_ = 0;
            return true;
        }
        outage_to_ = change;
        now_ = std::min(change, until);
    }
    return false;
}

void Cell::end_grant() {
    const auto index = static_cast<std::uint32_t>(granted_);
    Client& client = clients_[granted_];
    client_bins_.used(granted_at_ - epoch_, now_ - epoch_, granted_, granted_bits_);
    scheduler_.used(now_, index, now_ - granted_at_, std::isinf(granted_bits_) ? 0 : granted_bits_);
    client.spare_bits = 0;
    if (!client.waits()) {
        waiting_.erase(std::ranges::lower_bound(waiting_, index));
        scheduler_.idle(index);
    }
    granted_ = kNobody;
}

void Cell::take_up(Client& client, Item item) {
    client.served = std::move(item);
    client.left_bits = 8.0 * client.served.bytes() - client.spare_bits;
}

bool Cell::take(Client& client) {
    Item item;
    const bool whole = std::isinf(client.service.at(now_).rate_bps);
    if (!in_queue_of(client, [&](Queue& queue) { return queue.pop(now_, whole, item); })) return false;
    take_up(client, std::move(item));
    return true;
}

void Cell::serve(Client& client) {
    for (;;) {
        const Span& span = client.service.at(now_);
        if (std::isinf(span.rate_bps) || client.left_bits < kNoBits) {
            if (std::isinf(span.rate_bps)) granted_bits_ = span.rate_bps;
            client.spare_bits = 0;
            finished_ = true;
            return;
        }
        if (now_ >= granted_to_) return;
        const double needed_ns = std::ceil(client.left_bits * kSecond / span.rate_bps);  // infinite in an outage
        const Time end = std::min(span.end, granted_to_);
        const auto there_ns = static_cast<double>(end - now_);
        const double bits = span.rate_bps * std::min(needed_ns, there_ns) / kSecond;
        granted_bits_ += bits;
        if (needed_ns <= there_ns) {
            now_ += static_cast<Time>(needed_ns);
            client.spare_bits = std::max(0.0, bits - client.left_bits);
            finished_ = true;
            return;
        }
        client.left_bits -= bits;
        now_ = end;
    }
}

bool Cell::pop(Time until, Departure& departure) {
    for (;;) {
        if (granted_ == kNobody && !grant(until)) return false;
        Client& client = clients_[granted_];
        if (!client.served.packet && !take(client)) {
            end_grant();
            continue;
        }
        if (!finished_) serve(client);
        if (now_ > until) return false;
        if (!finished_) {
            end_grant();
            continue;
        }
        departure.time = now_;
        departure.first = client.served.first;
        departure.count = client.served.count();
        departure.number = client.served.number + client.served.first;
        departure.arrival = client.served.arrival;
        departure.client = static_cast<std::uint32_t>(granted_);
        record(now_);
        const std::uint32_t bytes = client.served.bytes();
        client.queue->left(bytes, departure.count);
        held_bytes_ -= bytes;
        departure.packet = std::move(client.served.packet);
        client.served = {};
        finished_ = false;
        if (now_ >= granted_to_ || !take(client)) end_grant();
        if (bins_ != nullptr) bins_->queue(departure.time - epoch_, held_bytes_);
        return true;
    }
}

Time Cell::next() {
    if (granted_ != kNobody) return granted_to_;
    if (waiting_.empty()) return kNever;
    return outage_to_ > now_ ? outage_to_ : slot_end(now_);
}

}  // namespace mmwemu
