// SPDX-License-Identifier: GPL-2.0-only
// A cell without ns-3: bearers and MAC over channels of a given SINR.

#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "core/link_budget.h"
#include "core/mac.h"
#include "tests/simple_tables.h"

namespace mmwemu {

/// UEs with a steady SINR, the same in both directions, and sources that fill their buffers.
///
/// With the simple tables a UE at x dB has MCS x + 10.
class SmallCell {
  public:
    struct Ue {
        Ue(std::size_t bins) : recorder(bins, {}) {}
        Recorder recorder;
        std::unique_ptr<Bearer> bearer;
        bool fills_downlink = false, fills_uplink = false;
        std::vector<Sdu> down, up;  // packets that arrived
        std::vector<Time> down_at, up_at;
        std::uint64_t next_down = 0, next_up = 0;
    };

    static constexpr std::uint32_t kPacketBytes = 1428;

    /// `loss` is the share of transport blocks that fail whatever the SINR.
    SmallCell(const MmwaveConfig& mmwave, const std::vector<double>& sinr_db, Time duration, double loss = 0)
        : frame(make_frame(mmwave.frame, kBandwidthHz)), link_(tables(loss), frame), duration_(duration) {
        config_.mmwave = mmwave;
        config_.mmwave.bandwidth_hz = kBandwidthHz;
        config_.mmwave.timers = {4 * kMillisecond, 2 * kMillisecond, kMillisecond};
        config_.rlc_buffer_bytes = 1'000'000;
        std::vector<Bearer*> bearers;
        for (std::size_t i = 0; i < sinr_db.size(); ++i) {
            Ue& ue = ues.emplace_back(static_cast<std::size_t>(duration / kMillisecond));
            const auto keep = [](std::vector<Sdu>& packets, std::vector<Time>& times) {
                return [&](Time now, const Sdu& packet) {
                    packets.push_back(packet);
                    times.push_back(now);
                };
            };
            ue.bearer = std::make_unique<Bearer>(config_, frame, link_, luck(2 * i), luck(2 * i + 1), ue.recorder,
                                                 Bearer::Ends{keep(ue.down, ue.down_at), keep(ue.up, ue.up_at)});
            set_sinr(i, 0, sinr_db[i]);
            bearers.push_back(ue.bearer.get());
        }
        mac_ = std::make_unique<Mac>(config_.mmwave, frame, bearers);
    }

    void set_sinr(std::size_t ue, Time now, double sinr_db) {
        const double gain = std::pow(10, sinr_db / 10) / sinr_of_unit_gain(0, kBandwidthHz, 0);
        ues[ue].bearer->measure(now, std::vector<double>{gain});
    }

    void push_down(std::size_t ue, Time now, std::uint32_t bytes) {
        if (ues[ue].bearer->push_down(now, {ues[ue].next_down, bytes, bytes, now, now})) ++ues[ue].next_down;
    }
    void push_up(std::size_t ue, Time now, std::uint32_t bytes) {
        if (ues[ue].bearer->push_up({ues[ue].next_up, bytes, bytes, now, now})) ++ues[ue].next_up;
    }

    /// Run all slots; `before` is called before each.
    template <typename Before>
    void run(Before before) {
        for (Time now = 0; now < duration_; now += frame.slot) {
            before(now);
            for (std::size_t i = 0; i < ues.size(); ++i) {
                for (int k = 0; k < kPacketsASlot && ues[i].fills_downlink; ++k) push_down(i, now, kPacketBytes);
                for (int k = 0; k < kPacketsASlot && ues[i].fills_uplink; ++k) push_up(i, now, kPacketBytes);
            }
            mac_->run_slot(now);
        }
    }
    void run() {
        run([](Time) {});
    }

    double seconds() const { return to_seconds(duration_); }

    /// Rates as shares of the peak at an MCS.
    double down_share(std::size_t ue, int mcs) const { return rate(ues[ue].down) / frame.peak_bps(mcs); }
    double up_share(std::size_t ue, int mcs) const { return rate(ues[ue].up) / frame.peak_bps(mcs); }
    double phy_share(std::size_t ue, int mcs) { return bits(ue, &Bin::phy_bits) / seconds() / frame.peak_bps(mcs); }
    double uplink_phy_share(std::size_t ue, int mcs) {
        return bits(ue, &Bin::uplink_phy_bits) / seconds() / frame.peak_bps(mcs);
    }

    Frame frame;
    std::deque<Ue> ues;

  private:
    static constexpr double kBandwidthHz = 1e9;
    static constexpr int kPacketsASlot = 60;

    static LinkTables tables(double loss) {
        LinkTables found = simple_tables();
        for (auto& curve : found.code_block_error) {
            for (double& error : curve) error = std::max(error, loss);
        }
        return found;
    }
    static Luck luck(std::size_t seed) {
        auto random = std::make_shared<std::mt19937>(static_cast<unsigned>(seed));
        return [random] { return std::uniform_real_distribution<double>()(*random); };
    }
    double rate(const std::vector<Sdu>& packets) const {
        double sum = 0;
        for (const Sdu& packet : packets) sum += packet.bytes * 8.0;
        return sum / seconds();
    }
    double bits(std::size_t ue, double Bin::*field) {
        double sum = 0;
        for (Time now = 0; now < duration_; now += kMillisecond) sum += ues[ue].recorder.at(now).*field;
        return sum;
    }

    Config config_;
    LinkModel link_;
    Time duration_;
    std::unique_ptr<Mac> mac_;
};

}  // namespace mmwemu
