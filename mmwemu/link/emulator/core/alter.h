// Altered copies of a packet's segments: cut out, with bit errors, with an ECN mark.

#pragma once

#include <cstdint>
#include <span>

#include "core/packet.h"

namespace mmwemu {

/// Return segments of a packet, from `first` on, as a packet of its own.
PacketRef extract(const PacketRef& packet, std::uint32_t first, std::uint32_t count = 1);

/// Return one segment with its checksum complete and some bits flipped, counted from the start of its IP header.
///
/// Returns none if a bit of the IP header is flipped: every receiver drops such a packet for its header checksum.
PacketRef damage(const PacketRef& packet, std::uint32_t segment, std::span<const std::uint32_t> wrong_bits);

/// Whether a packet's transport supports ECN (RFC 3168: ECT(0), ECT(1) or CE).
bool may_be_marked(const Packet& packet);

/// Whether a packet carries an ECN mark (CE).
bool congestion_experienced(const Packet& packet);

/// Return one segment with an ECN mark (CE).
PacketRef marked(const PacketRef& packet, std::uint32_t segment);

}  // namespace mmwemu
