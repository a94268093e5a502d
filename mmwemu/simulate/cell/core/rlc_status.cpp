// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <utility>

#include "core/rlc_am.h"

namespace mmwemu {

namespace {

// Fixed part; a NACK_SN with its extension bits; SOstart and SOend of a segment.
constexpr std::uint32_t kFixedBytes = 3, kNackBytes = 3, kSegmentBytes = 4;

std::uint32_t size_bytes(const Nack& nack) {
    const auto segments = static_cast<std::uint32_t>(nack.missing.size());
    return segments == 0 ? kNackBytes : segments * (kNackBytes + kSegmentBytes);
}

}  // namespace

std::uint32_t size_bytes(const Status& status) {
    std::uint32_t bytes = kFixedBytes;
    for (const Nack& nack : status.nacks) bytes += size_bytes(nack);
    return bytes;
}

Status fit(Status status, std::uint32_t bytes) {
    std::uint32_t used = kFixedBytes;
    const auto first_out = std::find_if(status.nacks.begin(), status.nacks.end(),
                                        [&](const Nack& nack) { return (used += size_bytes(nack)) > bytes; });
    if (first_out == status.nacks.end()) return status;
    status.ack_sn = first_out->sn;
    status.nacks.erase(first_out, status.nacks.end());
    return status;
}

}  // namespace mmwemu
