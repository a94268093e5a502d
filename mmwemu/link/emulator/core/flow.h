#pragma once

#include <cstdint>

#include "core/packet.h"

namespace mmwemu {

/// A number that all packets of a flow have: of addresses, protocol and, for TCP and UDP, ports.
///
/// With another seed other flows have the same number.
std::uint64_t flow_hash(const Packet& packet, std::uint64_t seed);

}  // namespace mmwemu
