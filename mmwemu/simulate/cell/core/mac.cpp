// SPDX-License-Identifier: GPL-2.0-only
#include "core/mac.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mmwemu {

Mac::Mac(const MmwaveConfig& config, const Frame& frame, std::vector<Bearer*> bearers)
    : bearers_(std::move(bearers)),
      slot_symbols_(frame.data_symbols),
      unit_(config.tti == Tti::kFlexible ? 1 : frame.data_symbols),
      uplink_share_(config.uplink.share),
      downlink_scheduler_(make_scheduler(config.scheduler, bearers_.size(), frame.slot)),
      uplink_scheduler_(make_scheduler(config.scheduler, bearers_.size(), frame.slot)),
      downlink_demands_(bearers_.size()),
      uplink_demands_(bearers_.size()),
      uplink_grants_(bearers_.size()) {}

void Mac::run_slot(Time now) {
    for (std::size_t i = 0; i < bearers_.size(); ++i) {
        bearers_[i]->begin_slot(now);
        downlink_demands_[i] = bearers_[i]->downlink_demand(now);
    }
    const std::uint32_t uplink = uplink_share_ > 0 ? grant_uplink(now) : 0;
    downlink_scheduler_->share(slot_symbols_ - uplink, unit_, downlink_demands_, downlink_grants_);
    for (std::size_t i = 0; i < bearers_.size(); ++i) {
        bearers_[i]->end_slot(now, downlink_grants_[i], uplink_grants_[i]);
    }
}

std::uint32_t Mac::grant_uplink(Time now) {
    std::uint32_t again = 0, all = 0;
    for (const Demand& demand : downlink_demands_) {
        again += demand.again;
        all += demand.symbols();
    }
    for (std::size_t i = 0; i < bearers_.size(); ++i) uplink_demands_[i] = bearers_[i]->uplink_demand(now);
    credit_ = std::min(credit_ + uplink_share_ * slot_symbols_, 2.0 * slot_symbols_);
    const std::uint32_t used =
        uplink_scheduler_->share(uplink_room(again, all), unit_, uplink_demands_, uplink_grants_);
    credit_ = std::max(0.0, credit_ - used);
    return used;
}

/// Symbols that the uplink may use: what the downlink leaves, or what it has saved up, but for retransmissions.
std::uint32_t Mac::uplink_room(std::uint32_t downlink_again, std::uint32_t downlink_all) const {
    const auto left_by = [this](std::uint32_t wanted) { return slot_symbols_ - std::min(wanted, slot_symbols_); };
    const auto saved = static_cast<std::uint32_t>(credit_ + 1e-9);
    return std::max(left_by(downlink_all), std::min(saved, left_by(downlink_again)));
}

}  // namespace mmwemu
