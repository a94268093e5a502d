// SPDX-License-Identifier: GPL-2.0-only
#include "radio/mmwave_cell.h"

#include <ns3/simulator.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/link_budget.h"
#include "radio/mi_tables.h"

namespace mmwemu {

namespace {

constexpr Time kSampleTime = kMillisecond;
constexpr Time kCqiPeriod = 500 * kMicrosecond;
// Delay from a measurement at the UE to its use at the gNB, by the uplink control symbol of a slot.
constexpr std::int64_t kReportSlots = 2;
constexpr std::int64_t kChannelStream = 1, kLuckStream = 1000;

double linear(double value_db) {
    return std::pow(10, value_db / 10);
}

}  // namespace

MmwaveCell::MmwaveCell(const Config& config, Recorder& recorder)
    : config_(config),
      recorder_(recorder),
      frame_(make_frame(config.mmwave.frame, config.mmwave.bandwidth_hz)),
      link_(tabulate_lte_error_model(), frame_),
      channel_(make_channel(config, config.route, kChannelStream)),
      source_(config.rate_bps, config.payload_bytes, config.traffic_start, config.core_delay),
      sender_(config.mmwave.timers, config.rlc_buffer_bytes),
      receiver_(config.mmwave.timers),
      harq_(config.mmwave.harq),
      luck_(ns3::CreateObject<ns3::UniformRandomVariable>()),
      sinr_of_unit_gain_(
          sinr_of_unit_gain(config.power_dbm, config.mmwave.bandwidth_hz, config.mmwave.noise_figure_db)) {
    luck_->SetStream(kLuckStream);
}

void MmwaveCell::run(const OnProgress& on_progress) {
    for (std::size_t bin = 0; bin < recorder_.size(); ++bin) {
        const auto at = ns3::MilliSeconds(bin);
        ns3::Simulator::Schedule(at, [this, &on_progress] { tick(on_progress); });
    }
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
}

void MmwaveCell::tick(const OnProgress& on_progress) {
    const Time now = ns3::Simulator::Now().GetNanoSeconds();
    measure(now);
    while (slot_ * frame_.slot < now + kSampleTime) run_slot();
    recorder_.at(now).queue_bytes = static_cast<double>(sender_.queue_bytes());
    on_progress(now + kSampleTime);
}

void MmwaveCell::measure(Time now) {
    const ChannelSample sample = channel_->sample(now);
    sinr_.assign(sample.gain.begin(), sample.gain.end());
    for (double& band : sinr_) band *= sinr_of_unit_gain_;
    effective_db_ = link_.effective_db(sinr_);
    const double mean = std::accumulate(sinr_.begin(), sinr_.end(), 0.0) / static_cast<double>(sinr_.size());
    Bin& bin = recorder_.at(now);
    bin.los = sample.sight.los ? 1 : 0;
    bin.sinr_db = 10 * std::log10(std::max(mean, 1e-30));
}

void MmwaveCell::run_slot() {
    const Time now = slot_ * frame_.slot;
    take_arrivals(now);
    take_reports(now);
    if (auto again = harq_.due(slot_)) {
        transmit(now, std::move(*again));
    } else if (mcs_ != kOutOfRange && sender_.has_data(now)) {
        const std::uint32_t bytes = frame_.block_bytes(mcs_);
        transmit(now, {mcs_, bytes, sender_.fill(now, bytes), 0, 0});
    } else {
        account_unused(now);
    }
    if (auto status = receiver_.status(now + frame_.slot)) {
        status_reports_.push_back({now + (1 + kReportSlots) * frame_.slot, std::move(*status)});
    }
    ++slot_;
}

void MmwaveCell::take_arrivals(Time now) {
    for (Sdu packet; source_.take(now, packet);) {
        if (!sender_.push(packet)) ++recorder_.at(now).drops;
    }
}

void MmwaveCell::take_reports(Time now) {
    if (now >= cqi_due_) {
        cqi_due_ += kCqiPeriod;
        const bool reachable = link_.in_range(effective_db_, harq_.attempts());
        const int mcs = reachable ? link_.choose_mcs(effective_db_) : kOutOfRange;
        cqi_reports_.push_back({now + kReportSlots * frame_.slot, mcs});
    }
    for (; !cqi_reports_.empty() && cqi_reports_.front().due <= now; cqi_reports_.pop_front()) {
        mcs_ = cqi_reports_.front().mcs;
    }
    for (; !status_reports_.empty() && status_reports_.front().due <= now; status_reports_.pop_front()) {
        sender_.on_status(now, status_reports_.front().status);
    }
}

void MmwaveCell::transmit(Time now, TransportBlock block) {
    ++block.attempts;
    block.combined_sinr += linear(effective_db_[static_cast<std::size_t>(modulation(block.mcs))]);
    const double error = link_.block_error(block.mcs, 10 * std::log10(block.combined_sinr));
    Bin& bin = recorder_.at(now);
    bin.mcs = block.mcs;
    if (luck_->GetValue() < error) {
        harq_.failed(slot_, std::move(block));
        return;
    }
    bin.phy_bits += block.bytes * 8.0;
    receive(now + frame_.slot, block);
}

/// A slot without a block still counts with the rate that the MAC could have granted.
void MmwaveCell::account_unused(Time now) {
    if (mcs_ == kOutOfRange) return;
    const double error = link_.block_error(mcs_, effective_db_[static_cast<std::size_t>(modulation(mcs_))]);
    recorder_.at(now).phy_bits += frame_.block_bytes(mcs_) * 8.0 * (1 - error);
}

void MmwaveCell::receive(Time now, const TransportBlock& block) {
    delivered_.clear();
    for (const Pdu& pdu : block.pdus) receiver_.on_pdu(now, pdu, delivered_);
    for (const Sdu& sdu : delivered_) recorder_.delivered(now, sdu.born, sdu.bytes - kHeaderBytes);
}

}  // namespace mmwemu
