// SPDX-License-Identifier: GPL-2.0-only
#include "core/bearer.h"

#include <utility>

#include "core/link_budget.h"

namespace mmwemu {

Bearer::Bearer(const Config& config, const Frame& frame, const LinkModel& link, Luck luck, Recorder& recorder,
               Deliver to_ue)
    : recorder_(recorder),
      to_ue_(std::move(to_ue)),
      slot_(frame.slot),
      downlink_(config, frame, link,
                sinr_of_unit_gain(config.power_dbm, config.mmwave.bandwidth_hz, config.mmwave.noise_figure_db),
                std::move(luck)) {}

void Bearer::measure(Time now, std::span<const double> gain) {
    recorder_.at(now).sinr_db = downlink_.measure(gain);
}

void Bearer::push_down(Time now, const Sdu& packet) {
    if (!downlink_.push(packet)) ++recorder_.at(now).drops;
}

void Bearer::end_slot(Time now, bool granted) {
    if (granted) {
        transmit(now);
    } else {
        // A slot without a block still counts with the rate that the MAC could have granted.
        recorder_.at(now).phy_bits += downlink_.possible_bits();
    }
    downlink_.end_slot(now);
}

void Bearer::transmit(Time now) {
    const Outcome outcome = downlink_.transmit(now);
    Bin& bin = recorder_.at(now);
    bin.mcs = outcome.mcs;
    bin.phy_bits += outcome.bytes * 8.0;
    for (const Sdu& packet : outcome.delivered) to_ue_(now + slot_, packet);
}

}  // namespace mmwemu
