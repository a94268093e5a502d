// Packets for the tests.

#pragma once

#include <cstdint>
#include <vector>

#include "segment.h"

namespace mmwemu::proxy::tests {

using Packet = std::vector<std::uint8_t>;

struct Header {
    bool to_client = true;
    std::uint32_t seq = 0, ack = 0;
    std::uint16_t window = 0;
    std::uint8_t flags = Segment::kAck;
    int scale = -1;  // of the option in a SYN; none if negative
    std::uint32_t value = 0, echo = 0;
    bool timestamps = true;
    bool ipv6 = false;
    std::uint16_t port = 5000;  // the client's
};

/// A packet with right checksums.
Packet make(const Header& header, std::size_t payload_bytes = 0);

/// Whether the checksums of IP and TCP are right.
bool is_sound(const Packet& packet);

}  // namespace mmwemu::proxy::tests
