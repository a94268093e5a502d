// SPDX-License-Identifier: GPL-2.0-only
#include "core/rlc.h"

#include "core/rlc_am.h"
#include "core/rlc_um.h"

namespace mmwemu {

std::unique_ptr<RlcSender> make_rlc_sender(RlcMode mode, const RlcTimers& timers, std::uint64_t buffer_bytes) {
    if (mode == RlcMode::kUm) return std::make_unique<UmSender>(buffer_bytes);
    return std::make_unique<AmSender>(timers, buffer_bytes);
}

std::unique_ptr<RlcReceiver> make_rlc_receiver(RlcMode mode, const RlcTimers& timers) {
    if (mode == RlcMode::kUm) return std::make_unique<UmReceiver>(timers);
    return std::make_unique<AmReceiver>(timers);
}

}  // namespace mmwemu
