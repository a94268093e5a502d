#include "core/edge_proxy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/alter.h"

namespace mmwemu {

namespace {

constexpr std::size_t kMostHeaderBytes = 120;  // of IPv4 and TCP

proxy::Bytes start_of(const Delivery& delivery) {
    const Packet& packet = *delivery.packet;
    return {reinterpret_cast<const std::uint8_t*>(packet.data()),
            std::min<std::size_t>(packet.length, kMostHeaderBytes)};
}

/// Write another window into a delivery's own headers; other segments of its packet keep theirs.
void rewrite(Delivery& delivery, std::uint16_t window) {
    if (delivery.packet.is_shared()) {
        delivery.packet = extract(delivery.packet, delivery.first, delivery.count);
        delivery.first = 0;
    }
    Packet& packet = *delivery.packet;
    // Where the checksum is not complete yet, its field does not depend on the window.
    const bool has_checksum = (packet.vnet.flags & VnetHeader::kNeedsChecksum) == 0;
    proxy::set_window({reinterpret_cast<std::uint8_t*>(packet.data()), packet.length}, window, has_checksum);
}

}  // namespace

EdgeProxy::EdgeProxy(const proxy::Settings& settings, std::size_t clients, PacketPool& pool, Path& down,
                     ToServer to_server)
    : settings_(settings), pool_(pool), down_(down), to_server_(std::move(to_server)) {
    const Proxy::Ends ends{[this](Delivery delivery) { down_.push(now_, std::move(delivery.packet)); },
                           [this](Delivery delivery) { to_server_(std::move(delivery)); }, start_of, rewrite,
                           [this](const std::vector<std::uint8_t>& bytes) { return make(bytes); }};
    for (std::size_t i = 0; i < clients; ++i) proxies_.emplace_back(settings, ends);
}

Delivery EdgeProxy::make(const std::vector<std::uint8_t>& bytes) {
    PacketRef packet = pool_.take(bytes.size());
    std::memcpy(packet->data(), bytes.data(), bytes.size());
    packet->length = static_cast<std::uint32_t>(bytes.size());
    return {now_, kNever, std::move(packet), 0, 1};
}

void EdgeProxy::inform(Time now) {
    now_ = now;
    // After a pause in which nothing moved, what counts now is of one delay ago.
    if (now - settings_.information_delay > told_ + settings_.information_interval) {
        tell(now - settings_.information_delay);
    }
    if (now >= told_ + settings_.information_interval) tell(now);
    for (Proxy& proxy : proxies_) proxy.advance(now);
}

void EdgeProxy::tell(Time of) {
    told_ = of;
    down_.advance(now_);
    for (std::size_t i = 0; i < proxies_.size(); ++i) {
        const Path::State state = down_.state(of, static_cast<std::uint32_t>(i));
        proxies_[i].inform(of, {state.rate_bps, state.queue_bytes});
    }
}

void EdgeProxy::from_server(Time now, PacketRef packet) {
    now_ = now;
    const std::uint32_t client = down_.client_of(*packet), segments = packet->segments;
    proxies_[client].from_server(now, {now, now, std::move(packet), 0, segments});
}

void EdgeProxy::from_client(Time now, Delivery delivery) {
    now_ = now;
    // What has wrong bits is for the server's TCP to throw away.
    if (delivery.kind == Kind::damaged) return to_server_(std::move(delivery));
    proxies_[delivery.client].from_client(now, std::move(delivery));
}

Time EdgeProxy::next() const {
    Time next = kNever;
    for (const Proxy& proxy : proxies_) next = std::min(next, proxy.next().value_or(kNever));
    return next;
}

std::uint64_t EdgeProxy::held_bytes() const {
    std::uint64_t sum = 0;
    for (const Proxy& proxy : proxies_) sum += proxy.held_bytes();
    return sum;
}

}  // namespace mmwemu
