#include "core/path.h"

#include <algorithm>
#include <utility>

#include "core/alter.h"
#include "core/bottleneck.h"

namespace mmwemu {

Path::Path(const Schedule& schedule, const PathSettings& settings, Bins bins, std::span<ClientRecord> client_records)
    : schedule_(schedule), settings_(settings), bins_(bins), client_records_(client_records) {
    if (settings_.cell) settings_.cell->slot = settings_.slot;
    const std::size_t clients = settings_.cell ? settings_.cell->members.size() : 1;
    for (std::size_t i = 0; i < clients; ++i) {
        const std::uint64_t seed = settings_.seed ^ (static_cast<std::uint64_t>(i) << 48);
        access_.push_back({Impairments(seed, settings_.events)});
    }
}

void Path::begin(Time epoch) {
    epoch_ = epoch;
    const Time origin = epoch - settings_.start_at;
    if (settings_.cell) {
        const ClientBins client_bins(client_records_, bins_.direction(), access_.size());
        server_ = std::make_unique<Cell>(*settings_.cell, origin, settings_.queue, settings_.outage, &bins_,
                                         client_bins, epoch);
    } else {
        server_ = std::make_unique<Bottleneck>(schedule_, origin, settings_.queue, settings_.outage, &bins_, epoch);
    }
}

void Path::push(Time now, PacketRef packet) {
    if (!server_) {
        const std::uint32_t segments = packet->segments;
        line_up({now + settings_.core_delay, kNever, std::move(packet), 0, segments}, true);
    } else if (settings_.core_first) {
        before_.push_back({now + settings_.core_delay, std::move(packet)});
    } else {
        advance(now);
        server_->push(now, std::move(packet));
    }
}

void Path::advance(Time now) {
    if (!server_) return;
    Departure departure;
    auto depart_until = [&](Time time) {
        while (server_->pop(time, departure)) depart(departure);
    };
    while (!before_.empty() && before_.front().time <= now) {
        depart_until(before_.front().time);
        server_->push(before_.front().time, std::move(before_.front().packet));
        before_.pop_front();
    }
    depart_until(now);
    if (now >= epoch_) {
        bins_.queue(now - epoch_, server_->queue_bytes());
        server_->record(now);
    }
}

void Path::depart(const Departure& departure) {
    const Span& span = server_->service_at(departure);
    Access& access = access_[departure.client];
    if (access.impairments.touch(span, departure.number, departure.count)) {
        for (std::uint32_t i = 0; i < departure.count; ++i) befall(departure, span, access, departure.first + i);
        return;
    }
    const Time core_delay = settings_.core_first ? 0 : settings_.core_delay;
    const Time due = later(slot_end(departure.time), span.delay + core_delay);
    line_up({due, departure.time, departure.packet, departure.first, departure.count, Kind::whole, departure.number,
             departure.arrival, departure.client},
            true);
}

Time Path::slot_end(Time time) const {
    if (settings_.slot == 0 || time == kNever) return time;
    const Time into = (time - epoch_ + settings_.start_at) % settings_.slot;
    return into == 0 ? time : time + settings_.slot - into;
}

void Path::befall(const Departure& departure, const Span& span, Access& access, std::uint32_t segment_of_packet) {
    const std::uint32_t bytes = departure.packet->ip_bytes(segment_of_packet, 1);
    const std::uint64_t number = departure.number + segment_of_packet - departure.first;
    const Fate fate = access.impairments.next(span, number, bytes);
    const Passage passage{*departure.packet,          segment_of_packet,      1, number,
                          departure.arrival - epoch_, departure.time - epoch_};
    if (fate.lost) {
        bins_.dropped(departure.time - epoch_, Drop::loss, passage);
        return;
    }
    const Time core_delay = settings_.core_first ? 0 : settings_.core_delay;
    const Time access_delay = fate.overtakes ? 0 : std::max<Time>(0, span.delay + fate.jitter) + fate.delay;
    Delivery delivery{later(slot_end(departure.time), access_delay + core_delay),
                      departure.time,
                      departure.packet,
                      segment_of_packet,
                      1,
                      Kind::whole,
                      number,
                      departure.arrival,
                      departure.client};
    if (!fate.wrong_bits.empty()) {
        delivery.packet = damage(departure.packet, segment_of_packet, fate.wrong_bits);
        delivery.first = 0;
        delivery.kind = Kind::damaged;
        if (!delivery.packet) {
            bins_.noted(departure.time - epoch_, Note::damaged, bytes, 1);
            bins_.log(passage, Ending::damaged);
            return;
        }
    }
    const bool in_order = !fate.overtakes && fate.delay == 0;
    line_up(delivery, in_order);
    if (fate.duplicated) {
        if (delivery.kind == Kind::whole) delivery.kind = Kind::copy;
        line_up(delivery, in_order);
    }
}

void Path::line_up(Delivery delivery, bool in_order) {
    Access& access = access_[delivery.client];
    // A shorter delay does not reorder.
    if (in_order) delivery.due = access.last_due = std::max(delivery.due, access.last_due);
    if (delivery.due < access.latest_due) {
        bins_.noted(delivery.left - epoch_, Note::reordered, delivery.packet->ip_bytes(delivery.first, delivery.count),
                    delivery.count);
    }
    access.latest_due = std::max(delivery.due, access.latest_due);
    if (behind_.empty() || behind_.back().due <= delivery.due) {
        behind_.push_back(std::move(delivery));
        return;
    }
    const auto place = std::ranges::upper_bound(behind_, delivery.due, {}, &Delivery::due);
    behind_.insert(place, std::move(delivery));
}

bool Path::pop(Time now, Delivery& delivery) {
    advance(now);
    if (behind_.empty() || behind_.front().due > now) return false;
    delivery = std::move(behind_.front());
    behind_.pop_front();
    // With a log, each delivery has a time of its own.
    while (!bins_.logs() && !behind_.empty() && behind_.front().due <= now &&
           behind_.front().packet == delivery.packet && behind_.front().first == delivery.first + delivery.count &&
           behind_.front().kind == delivery.kind) {
        delivery.count += behind_.front().count;
        behind_.pop_front();
    }
    return true;
}

Path::State Path::state(Time time, std::uint32_t client) {
    if (!server_) return {};
    return {server_->rate_bps(std::max(time, epoch_), client), server_->queue_bytes(client)};
}

Time Path::next() {
    if (!behind_.empty()) return behind_.front().due;
    if (!server_) return kNever;
    const Time departure = server_->next();
    return before_.empty() ? departure : std::min(departure, before_.front().time);
}

Time Path::settled(Time now) const {
    for (const Delivery& delivery : behind_) now = std::min(now, delivery.left);
    return now;
}

Passage Path::passage_of(const Delivery& delivery, Time delivered) const {
    return {*delivery.packet,          delivery.first,         delivery.count,        delivery.number,
            delivery.arrival - epoch_, delivery.left - epoch_, delivery.due - epoch_, delivered};
}

void Path::delivered(Time now, const Delivery& delivery) {
    if (delivery.left == kNever) return;
    const Time lateness = std::max<Time>(0, now - delivery.due);
    const std::uint32_t bytes = delivery.packet->ip_bytes(delivery.first, delivery.count);
    const Time counted = delivery.left - epoch_ + lateness;
    const Passage passage = passage_of(delivery, now - epoch_);
    switch (delivery.kind) {
        case Kind::whole:
            bins_.delivered(counted, bytes, delivery.count, lateness);
            server_->delivered(counted, delivery.client, bytes);
            bins_.log(passage, Ending::delivered);
            break;
        case Kind::copy:
            bins_.noted(counted, Note::duplicated, bytes, delivery.count);
            bins_.log(passage, Ending::copied);
            break;
        case Kind::damaged:
            bins_.noted(counted, Note::damaged, bytes, delivery.count);
            bins_.log(passage, Ending::damaged);
            break;
    }
}

void Path::lost_at_device(Time now, const Delivery& delivery) {
    if (delivery.left == kNever) return;
    bins_.dropped(now - epoch_, Drop::device, passage_of(delivery, kNever));
}

void Path::lost_at_device(Time now, const Packet& packet) {
    if (epoch_ != kNever) bins_.dropped(now - epoch_, Drop::device, {packet, 0, packet.segments, 0, now - epoch_});
}

void Path::lost_at_device(Time now, std::uint64_t packets) {
    if (epoch_ != kNever) bins_.dropped(now - epoch_, Drop::device, 0, packets);
}

void Path::stood_still(Time now, Time length) {
    if (epoch_ != kNever) bins_.stood_still(now - epoch_, length);
}

}  // namespace mmwemu
