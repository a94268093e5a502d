// SPDX-License-Identifier: GPL-2.0-only
#include "core/direction.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mmwemu {

namespace {

constexpr Time kCqiPeriod = 500 * kMicrosecond;
// Delay from a measurement at the UE to its use at the gNB, by the uplink control symbol of a slot.
constexpr std::int64_t kReportSlots = 2;

double linear(double value_db) {
    return std::pow(10, value_db / 10);
}

}  // namespace

Direction::Direction(const Config& config, const Frame& frame, const LinkModel& link, double sinr_of_unit_gain,
                     Luck luck)
    : frame_(frame),
      link_(link),
      sinr_of_unit_gain_(sinr_of_unit_gain),
      luck_(std::move(luck)),
      sender_(config.mmwave.timers, config.rlc_buffer_bytes),
      receiver_(config.mmwave.timers),
      harq_(config.mmwave.harq) {}

double Direction::measure(std::span<const double> gain) {
    sinr_.assign(gain.begin(), gain.end());
    for (double& band : sinr_) band *= sinr_of_unit_gain_;
    effective_db_ = link_.effective_db(sinr_);
    const double mean = std::accumulate(sinr_.begin(), sinr_.end(), 0.0) / static_cast<double>(sinr_.size());
    return 10 * std::log10(std::max(mean, 1e-30));
}

void Direction::take_reports(Time now) {
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

bool Direction::has_block(Time now) {
    return harq_.has_due(now / frame_.slot) || (mcs_ != kOutOfRange && sender_.has_data(now));
}

Outcome Direction::transmit(Time now) {
    const std::int64_t slot = now / frame_.slot;
    std::optional<TransportBlock> block = harq_.due(slot);
    if (!block) {
        const std::uint32_t bytes = frame_.block_bytes(mcs_);
        block = TransportBlock{mcs_, bytes, sender_.fill(now, bytes), 0, 0};
    }
    ++block->attempts;
    block->combined_sinr += linear(effective_db_[static_cast<std::size_t>(modulation(block->mcs))]);
    const double error = link_.block_error(block->mcs, 10 * std::log10(block->combined_sinr));
    Outcome outcome{block->mcs, 0, {}};
    if (luck_() < error) {
        harq_.failed(slot, std::move(*block));
        return outcome;
    }
    outcome.bytes = block->bytes;
    for (const Pdu& pdu : block->pdus) receiver_.on_pdu(now + frame_.slot, pdu, outcome.delivered);
    return outcome;
}

double Direction::possible_bits() const {
    if (mcs_ == kOutOfRange) return 0;
    const double error = link_.block_error(mcs_, effective_db_[static_cast<std::size_t>(modulation(mcs_))]);
    return frame_.block_bytes(mcs_) * 8.0 * (1 - error);
}

void Direction::end_slot(Time now) {
    if (auto status = receiver_.status(now + frame_.slot)) {
        status_reports_.push_back({now + (1 + kReportSlots) * frame_.slot, std::move(*status)});
    }
}

}  // namespace mmwemu
