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

}  // namespace mmwemu
