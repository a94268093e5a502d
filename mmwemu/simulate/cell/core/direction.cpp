// SPDX-License-Identifier: GPL-2.0-only
#include "core/direction.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mmwemu {

namespace {

constexpr Time kCqiPeriod = 500 * kMicrosecond;

double linear(double value_db) {
    return std::pow(10, value_db / 10);
}

}  // namespace

Direction::Direction(const Config& config, const Frame& frame, const LinkModel& link, double sinr_of_unit_gain,
                     Luck luck)
    : frame_(frame),
      link_(link),
      sinr_of_unit_gain_(sinr_of_unit_gain),
      flexible_(config.mmwave.tti == Tti::kFlexible),
      luck_(std::move(luck)),
      sender_(make_rlc_sender(config.mmwave.rlc_mode, config.mmwave.timers, config.rlc_buffer_bytes)),
      receiver_(make_rlc_receiver(config.mmwave.rlc_mode, config.mmwave.timers)),
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
}

Demand Direction::demand(Time now) {
    Demand demand;
    demand.again = harq_.due_symbols(now / frame_.slot);
    if (mcs_ == kOutOfRange) return demand;
    demand.bits_per_symbol = frame_.block_bytes(mcs_) * 8.0 / frame_.data_symbols;
    // With a fixed TTI a retransmission leaves no room in its slot.
    if (flexible_ || demand.again == 0) demand.fresh = wanted_symbols(now);
    return demand;
}

std::uint32_t Direction::wanted_symbols(Time now) {
    if (!flexible_) return carried_ || sender_->has_data(now) ? frame_.data_symbols : 0;
    const std::uint32_t most = frame_.block_bytes(mcs_);
    const std::uint32_t wanted = (carried_ ? size_bytes(*carried_) : 0) + sender_->wanted_bytes(now, most);
    return wanted == 0 ? 0 : frame_.symbols_for(mcs_, wanted);
}

Outcome Direction::send_again(Time now) {
    return attempt(now, *harq_.due(now / frame_.slot));
}

Outcome Direction::send(Time now, std::uint32_t symbols) {
    TransportBlock block;
    block.mcs = mcs_;
    block.symbols = symbols;
    block.bytes = frame_.block_bytes(mcs_, symbols);
    std::uint32_t room = block.bytes;
    if (carried_) {
        block.status = std::make_shared<const Status>(fit(std::move(*carried_), room));
        carried_.reset();
        room -= size_bytes(*block.status);
    }
    block.pdus = sender_->fill(now, room);
    return attempt(now, std::move(block));
}

Outcome Direction::attempt(Time now, TransportBlock block) {
    ++block.attempts;
    block.combined_sinr += linear(effective_db_[static_cast<std::size_t>(modulation(block.mcs))]);
    const double error = link_.block_error(block.mcs, 10 * std::log10(block.combined_sinr), block.bytes);
    Outcome outcome{block.mcs, block.symbols, 0, {}, {}};
    if (luck_() < error) {
        harq_.failed(now / frame_.slot, std::move(block));
        return outcome;
    }
    outcome.bytes = block.bytes;
    outcome.status = std::move(block.status);
    for (const Pdu& pdu : block.pdus) receiver_->on_pdu(now + frame_.slot, pdu, outcome.delivered);
    return outcome;
}

double Direction::possible_bits() const {
    if (mcs_ == kOutOfRange) return 0;
    const double error = link_.block_error(mcs_, effective_db_[static_cast<std::size_t>(modulation(mcs_))]);
    return frame_.block_bytes(mcs_) * 8.0 * (1 - error);
}

}  // namespace mmwemu
