// SPDX-License-Identifier: GPL-2.0-only
#include "radio/lte_feed.h"

#include <ns3/packet.h>

#include <cstring>
#include <vector>

namespace mmwemu {

namespace {

constexpr std::uint64_t kInsideBytes = 150'000;  // some 16 ms at the peak rate of 20 MHz
constexpr Time kSilence = kSecond;

}  // namespace

void LteFeed::tick(Time now, ns3::Socket& socket) {
    for (Sdu packet; source_.take(now, packet);) {
        if (queue_bytes() + packet.bytes > buffer_bytes_) {
            ++recorder_.at(now).drops;
            continue;
        }
        waiting_.push_back(packet);
        waiting_bytes_ += packet.bytes;
    }
    give_up_if_silent(now);
    while (!waiting_.empty() && (inside_.empty() || inside_bytes_ + waiting_.front().bytes <= kInsideBytes)) {
        if (inside_.empty()) last_received_ = now;
        send(waiting_.front(), socket);
        inside_.push_back(waiting_.front());
        inside_bytes_ += waiting_.front().bytes;
        waiting_bytes_ -= waiting_.front().bytes;
        waiting_.pop_front();
    }
}

void LteFeed::send(const Sdu& packet, ns3::Socket& socket) {
    std::vector<std::uint8_t> payload(packet.bytes - kHeaderBytes);
    std::memcpy(payload.data(), &packet.id, sizeof packet.id);
    socket.Send(ns3::Create<ns3::Packet>(payload.data(), static_cast<std::uint32_t>(payload.size())));
}

void LteFeed::received(Time now, std::uint64_t id) {
    while (!inside_.empty() && inside_.front().id < id) lose_front(now);
    if (inside_.empty() || inside_.front().id != id) return;
    const Sdu packet = inside_.front();
    inside_.pop_front();
    inside_bytes_ -= packet.bytes;
    last_received_ = now;
    recorder_.delivered(now, packet);
}

/// After a radio link failure, LENA loses the packets that it holds.
void LteFeed::give_up_if_silent(Time now) {
    if (inside_.empty() || now - last_received_ < kSilence) return;
    while (!inside_.empty()) lose_front(now);
}

void LteFeed::lose_front(Time now) {
    inside_bytes_ -= inside_.front().bytes;
    inside_.pop_front();
    ++recorder_.at(now).drops;
}

std::uint64_t packet_id(const ns3::Packet& packet) {
    std::uint64_t id = 0;
    packet.CopyData(reinterpret_cast<std::uint8_t*>(&id), sizeof id);
    return id;
}

}  // namespace mmwemu
