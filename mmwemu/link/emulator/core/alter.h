#pragma once

#include <cstdint>
#include <span>

#include "core/packet.h"

namespace mmwemu {

/// One segment of a packet as a packet of its own.
PacketRef extract(const PacketRef& packet, std::uint32_t segment);

/// One segment with some bits wrong, counted from the start of its IP header, and its checksum as it was sent.
///
/// None where a bit of the IP header is wrong: the checksum of that is every receiver's own affair, and it is thrown
/// away before anything else is looked at.
PacketRef damage(const PacketRef& packet, std::uint32_t segment, std::span<const std::uint32_t> wrong_bits);

/// Whether the transport of a packet understands congestion marks (RFC 3168: ECT(0), ECT(1) or marked already).
bool may_be_marked(const Packet& packet);

/// Whether a packet has been marked.
bool congestion_experienced(const Packet& packet);

/// One segment with its mark of congestion experienced.
PacketRef marked(const PacketRef& packet, std::uint32_t segment);

}  // namespace mmwemu
