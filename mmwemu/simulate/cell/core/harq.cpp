// SPDX-License-Identifier: GPL-2.0-only
#include "core/harq.h"

#include <utility>

namespace mmwemu {

std::optional<TransportBlock> Harq::due(std::int64_t slot) {
    if (waiting_.empty() || waiting_.front().slot > slot) return std::nullopt;
    TransportBlock block = std::move(waiting_.front().block);
    waiting_.pop_front();
    return block;
}

bool Harq::failed(std::int64_t slot, TransportBlock block) {
    if (block.attempts >= attempts_) return false;
    waiting_.push_back({slot + kRoundTripSlots, std::move(block)});
    return true;
}

}  // namespace mmwemu
