// SPDX-License-Identifier: GPL-2.0-only
#include "core/scheduler.h"

#include <algorithm>

namespace mmwemu {

namespace {

constexpr Time kFairOver = 100 * kMillisecond;

}  // namespace

std::uint32_t Scheduler::share(std::uint32_t symbols, std::uint32_t unit, const std::vector<Demand>& demands,
                               std::vector<Grant>& grants) {
    const std::size_t ues = demands.size();
    std::uint32_t left = symbols, wanting = 0;
    bool waiting = false;  // a retransmission that did not fit must not be overtaken for ever
    grants.assign(ues, {});
    wanted_.assign(ues, 0);
    for (std::size_t step = 0; step < ues; ++step) {
        const std::size_t ue = (first_ + step) % ues;
        const Demand& demand = demands[ue];
        waiting |= demand.again > left;
        if (demand.again > 0 && demand.again <= left) {
            grants[ue].again = true;
            left -= demand.again;
            granted(ue, demand.again * demand.bits_per_symbol);
        }
        wanted_[ue] = demand.fresh;
        wanting += demand.fresh > 0;
    }
    first_ = (first_ + 1) % ues;
    while (!waiting && left >= unit && wanting > 0) {
        const std::size_t ue = next(wanted_, demands);
        grants[ue].fresh += unit;
        left -= unit;
        granted(ue, unit * demands[ue].bits_per_symbol);
        wanted_[ue] -= std::min(unit, wanted_[ue]);
        if (wanted_[ue] == 0) --wanting;
    }
    end_slot();
    return symbols - left;
}

std::size_t RoundRobin::next(const std::vector<std::uint32_t>& wanted, const std::vector<Demand>&) {
    std::size_t ue = turn_ % wanted.size();
    while (wanted[ue] == 0) ue = (ue + 1) % wanted.size();
    turn_ = ue + 1;
    return ue;
}

std::size_t ProportionalFair::next(const std::vector<std::uint32_t>& wanted, const std::vector<Demand>& demands) {
    std::size_t best = 0;
    double highest = -1;
    for (std::size_t ue = 0; ue < wanted.size(); ++ue) {
        if (wanted[ue] == 0) continue;
        const double mean = mean_bits_[ue] + weight_ * slot_bits_[ue];
        const double metric = demands[ue].bits_per_symbol / (mean + 1);  // 1 bit a slot keeps a new UE's finite
        if (metric <= highest) continue;
        highest = metric;
        best = ue;
    }
    return best;
}

void ProportionalFair::end_slot() {
    for (std::size_t ue = 0; ue < mean_bits_.size(); ++ue) {
        mean_bits_[ue] += weight_ * (slot_bits_[ue] - mean_bits_[ue]);
        slot_bits_[ue] = 0;
    }
}

std::unique_ptr<Scheduler> make_scheduler(SchedulerKind kind, std::size_t ues, Time slot) {
    if (kind == SchedulerKind::kRoundRobin) return std::make_unique<RoundRobin>();
    return std::make_unique<ProportionalFair>(ues, static_cast<double>(kFairOver) / static_cast<double>(slot));
}

}  // namespace mmwemu
