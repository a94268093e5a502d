// SPDX-License-Identifier: GPL-2.0-only
// The MAC of the base station: which UE and direction gets which symbols of a slot.

#pragma once

#include <memory>
#include <vector>

#include "core/bearer.h"
#include "core/frame.h"
#include "core/scheduler.h"

namespace mmwemu {

/// Shares the slots among the bearers of a cell.
///
/// The two directions share the symbols of a slot (dynamic TDD). The uplink is sure of its share over time and gets
/// what the downlink leaves; it saves up at most two slots. With a fixed TTI a slot is one block of one UE in one
/// direction, with a flexible one a block takes as many symbols as it needs.
class Mac {
  public:
    Mac(const MmwaveConfig& config, const Frame& frame, std::vector<Bearer*> bearers);

    /// Compute the slot at `now`.
    void run_slot(Time now);

  private:
    std::uint32_t uplink_room(std::uint32_t downlink_again, std::uint32_t downlink_all) const;
    std::uint32_t grant_uplink(Time now);

    std::vector<Bearer*> bearers_;
    std::uint32_t slot_symbols_, unit_;
    double uplink_share_;
    double credit_ = 0;  // symbols that the uplink has saved up
    std::unique_ptr<Scheduler> downlink_scheduler_, uplink_scheduler_;
    std::vector<Demand> downlink_demands_, uplink_demands_;
    std::vector<Grant> downlink_grants_, uplink_grants_;
};

}  // namespace mmwemu
