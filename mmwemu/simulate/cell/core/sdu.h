// SPDX-License-Identifier: GPL-2.0-only
// A packet on its way through RLC.

#pragma once

#include <cstdint>

#include "core/time.h"

namespace mmwemu {

/// One packet, without its bytes; transports that have real packets keep them by `id`.
struct Sdu {
    std::uint64_t id = 0;  // counts the packets that an RLC buffer has taken
    std::uint32_t bytes = 0;
    std::uint32_t payload_bytes = 0;  // of the transport layer
    Time born = 0;                    // when its sender sent it
    Time arrived = 0;                 // when it reached the RLC buffer
};

}  // namespace mmwemu
