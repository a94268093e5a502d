// The hash by which packets of one flow are found.

#pragma once

#include <cstdint>

#include "core/packet.h"

namespace mmwemu {

/// Return a hash of addresses, protocol and, for TCP and UDP, ports; it is the same for all packets of a flow.
///
/// The seed decides which flows collide.
std::uint64_t flow_hash(const Packet& packet, std::uint64_t seed);

}  // namespace mmwemu
