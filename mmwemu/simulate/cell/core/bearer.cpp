// SPDX-License-Identifier: GPL-2.0-only
#include "core/bearer.h"

#include <cmath>
#include <utility>

#include "core/link_budget.h"

namespace mmwemu {

Bearer::Bearer(const Config& config, const Frame& frame, const LinkModel& link, Luck downlink_luck, Luck uplink_luck,
               Recorder& recorder, Ends ends)
    : recorder_(recorder),
      ends_(std::move(ends)),
      slot_(frame.slot),
      slot_symbols_(frame.data_symbols),
      uplink_share_(config.mmwave.uplink.share),
      downlink_(config, frame, link,
                sinr_of_unit_gain(config.power_dbm, config.mmwave.bandwidth_hz, config.mmwave.noise_figure_db),
                std::move(downlink_luck)) {
    if (uplink_share_ == 0) return;
    const UplinkConfig& uplink = config.mmwave.uplink;
    uplink_.emplace(config, frame, link,
                    sinr_of_unit_gain(uplink.power_dbm, config.mmwave.bandwidth_hz, uplink.noise_figure_db),
                    std::move(uplink_luck));
}

void Bearer::measure(Time now, std::span<const double> gain, bool searching) {
    searching_ = searching;
    const double sinr_db = downlink_.measure(gain);
    // A bin has the SINR of its start, however often the channel is sampled.
    if (Bin& bin = recorder_.at(now); std::isnan(bin.sinr_db)) bin.sinr_db = sinr_db;
    if (uplink_) uplink_->measure(gain);
}

bool Bearer::push_down(Time now, const Sdu& packet) {
    const bool room = downlink_.push(packet);
    if (!room) ++recorder_.at(now).drops;
    return room;
}

void Bearer::begin_slot(Time now) {
    downlink_.take_reports(now);
    if (uplink_) uplink_->take_reports(now);
    for (; !status_reports_.empty() && status_reports_.front().due <= now; status_reports_.pop_front()) {
        downlink_.acknowledge(now, status_reports_.front().status);
    }
}

Demand Bearer::uplink_demand(Time now) {
    if (searching_) return {};
    Demand demand = uplink_->demand(now);
    if (demand.symbols() == 0) requested_.reset();
    if (demand.fresh > 0) {
        if (!requested_) requested_ = now;
        if (now < *requested_ + kReportSlots * slot_) demand.fresh = 0;
    }
    return demand;
}

void Bearer::end_slot(Time now, const Grant& downlink, const Grant& uplink) {
    std::shared_ptr<const Status> of_uplink, of_downlink;
    const Sent down = send(now, downlink_, downlink, ends_.to_ue, of_uplink);
    Sent up;
    if (uplink_) up = send(now, *uplink_, uplink, ends_.to_base_station, of_downlink);
    for (const Sdu& packet : downlink_.overdue(now + slot_)) ends_.to_ue(now + slot_, packet);
    if (uplink_) {
        for (const Sdu& packet : uplink_->overdue(now + slot_)) ends_.to_base_station(now + slot_, packet);
    }
    count(now, down, up);
    if (of_uplink) uplink_->acknowledge(now, *of_uplink);
    if (of_downlink) downlink_.acknowledge(now, *of_downlink);
    make_status(now + slot_);
}

Bearer::Sent Bearer::send(Time now, Direction& direction, const Grant& grant, const Deliver& deliver,
                          std::shared_ptr<const Status>& status) {
    Sent sent;
    const auto take = [&](Outcome outcome) {
        sent.mcs = outcome.mcs;
        sent.symbols += outcome.symbols;
        sent.bytes += outcome.bytes;
        for (const Sdu& packet : outcome.delivered) deliver(now + slot_, packet);
        if (outcome.status) status = std::move(outcome.status);
    };
    if (grant.again) take(direction.send_again(now));
    if (grant.fresh > 0) take(direction.send(now, grant.fresh));
    return sent;
}

/// Symbols that nobody used count with what the MAC could have sent in them; so do those of other UEs.
void Bearer::count(Time now, const Sent& down, const Sent& up) {
    if (searching_) return;
    Bin& bin = recorder_.at(now);
    const double slot = slot_symbols_, sure = uplink_share_ * slot;
    const double unused = slot - down.symbols - up.symbols;
    if (down.symbols > 0) bin.mcs = down.mcs;
    bin.phy_bits += down.bytes * 8.0;
    const double more_down = unused + downlink_short_.add(up.symbols - sure, slot);
    if (more_down > 0) bin.phy_bits += downlink_.possible_bits() * (more_down / slot);
    if (!uplink_) return;
    bin.uplink_phy_bits += up.bytes * 8.0;
    const double more_up = unused + uplink_short_.add(down.symbols + sure - slot, slot);
    if (more_up > 0) bin.uplink_phy_bits += uplink_->possible_bits() * (more_up / slot);
}

void Bearer::make_status(Time now) {
    if (auto status = downlink_.status(now)) {
        if (uplink_) {
            uplink_->carry(std::move(*status));
        } else {
            status_reports_.push_back({now + kReportSlots * slot_, std::move(*status)});
        }
    }
    if (!uplink_) return;
    if (auto status = uplink_->status(now)) downlink_.carry(std::move(*status));
}

}  // namespace mmwemu
