// Packets and schedules that the tests share.

#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/packet.h"
#include "core/schedule.h"
#include "tests/near.h"

namespace testing {

using namespace mmwemu;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr Time kMs = 1'000'000;

inline PacketRef plain(PacketPool& pool, std::uint32_t bytes) {
    PacketRef packet = pool.take(bytes);
    packet->length = bytes;
    return packet;
}

/// A super-packet with headers of 52 bytes and segments of 1500 but perhaps the last; its bytes are not TCP.
inline PacketRef super(PacketPool& pool, std::uint32_t payload_bytes) {
    PacketRef packet = pool.take(PacketPool::kLargeBytes);
    packet->header_bytes = 52;
    packet->mss = 1448;
    packet->length = 52 + payload_bytes;
    packet->segments = (payload_bytes + 1447) / 1448;
    return packet;
}

inline Schedule constant(double rate_bps, Time delay = 0, double loss = 0) {
    return Schedule({{0, rate_bps, delay, loss}}, kSecond, End::loop);
}

}  // namespace testing
