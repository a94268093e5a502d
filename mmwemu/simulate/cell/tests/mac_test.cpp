// SPDX-License-Identifier: GPL-2.0-only
#include "core/mac.h"

#include "tests/near.h"
#include "tests/small_cell.h"

using namespace mmwemu;

namespace {

constexpr double kTop = 20;  // dB, MCS 28

MmwaveConfig settings(Tti tti, SchedulerKind scheduler) {
    MmwaveConfig config;
    config.tti = tti;
    config.scheduler = scheduler;
    return config;
}

}  // namespace

TEST_CASE("Equal UEs with full buffers get equal parts of the cell, and each could have had all of it") {
    for (const Tti tti : {Tti::kFixed, Tti::kFlexible}) {
        for (const auto scheduler : {SchedulerKind::kRoundRobin, SchedulerKind::kProportionalFair}) {
            for (const std::size_t n : {1, 2, 7, 20}) {
                SmallCell cell(settings(tti, scheduler), std::vector<double>(n, kTop), 400 * kMillisecond);
                for (auto& ue : cell.ues) ue.fills_downlink = true;
                cell.run();
                const double each = 1.0 / static_cast<double>(n);
                for (std::size_t i = 0; i < n; ++i) {
                    CHECK(cell.down_share(i, 28) == Near(each, 0.02 * each));
                    CHECK(cell.phy_share(i, 28) == Near(1, 0.01));
                }
            }
        }
    }
}

TEST_CASE("A UE with nothing to send leaves its share to the others") {
    for (const Tti tti : {Tti::kFixed, Tti::kFlexible}) {
        for (const auto scheduler : {SchedulerKind::kRoundRobin, SchedulerKind::kProportionalFair}) {
            SmallCell cell(settings(tti, scheduler), {kTop, kTop, kTop}, 400 * kMillisecond);
            cell.ues[0].fills_downlink = cell.ues[2].fills_downlink = true;
            cell.run();
            CHECK(cell.down_share(0, 28) == Near(0.5, 0.01));
            CHECK(cell.down_share(1, 28) == Near(0, 0));
            CHECK(cell.phy_share(1, 28) == Near(1, 0.01));
            CHECK(cell.down_share(2, 28) == Near(0.5, 0.01));
        }
    }
}

TEST_CASE("A UE with a little to send leaves the rest to the others") {
    SmallCell cell(settings(Tti::kFlexible, SchedulerKind::kRoundRobin), {kTop, kTop}, 400 * kMillisecond);
    cell.ues[1].fills_downlink = true;
    cell.run([&](Time now) { cell.push_down(0, now, 1000); });  // fits one symbol of 22
    CHECK(cell.down_share(1, 28) == Near(21.0 / 22, 0.01));
    SmallCell fixed(settings(Tti::kFixed, SchedulerKind::kRoundRobin), {kTop, kTop}, 400 * kMillisecond);
    fixed.ues[1].fills_downlink = true;
    fixed.run([&](Time now) { fixed.push_down(0, now, 1000); });
    CHECK(fixed.down_share(1, 28) == Near(0.5, 0.01));
}

TEST_CASE("Proportional fairness gives unequal UEs equal airtime") {
    for (const Tti tti : {Tti::kFixed, Tti::kFlexible}) {
        const std::vector<int> mcs{28, 14, 4};
        SmallCell cell(settings(tti, SchedulerKind::kProportionalFair), {18.5, 4.5, -5.5}, 2 * kSecond);
        for (auto& ue : cell.ues) ue.fills_downlink = true;
        cell.run();
        for (std::size_t i = 0; i < 3; ++i) CHECK(cell.down_share(i, mcs[i]) == Near(1.0 / 3, 0.015));
    }
}

TEST_CASE("Proportional fairness serves UEs while they are good, round robin whenever") {
    std::vector<double> sums;
    for (const auto scheduler : {SchedulerKind::kRoundRobin, SchedulerKind::kProportionalFair}) {
        SmallCell cell(settings(Tti::kFlexible, scheduler), {18.5, -5.5}, kSecond);
        for (auto& ue : cell.ues) ue.fills_downlink = true;
        cell.run([&](Time now) {
            if (now % (5 * kMillisecond) != 0) return;
            const bool first_is_good = now / (5 * kMillisecond) % 2 == 0;
            cell.set_sinr(0, now, first_is_good ? 18.5 : -5.5);
            cell.set_sinr(1, now, first_is_good ? -5.5 : 18.5);
        });
        sums.push_back(cell.down_share(0, 28) + cell.down_share(1, 28));
    }
    CHECK(sums[1] > 1.3 * sums[0]);
}

TEST_CASE("With a fixed TTI small blocks need a slot each, with a flexible one they share it") {
    for (const bool flexible : {false, true}) {
        const Tti tti = flexible ? Tti::kFlexible : Tti::kFixed;
        SmallCell cell(settings(tti, SchedulerKind::kRoundRobin), {kTop, kTop, kTop}, 10 * kMillisecond);
        const Time sent = 5 * kMillisecond, slot = cell.frame.slot;
        cell.run([&](Time now) {
            for (std::size_t i = 0; i < 3 && now == sent; ++i) cell.push_down(i, now, 100);
        });
        Time last = 0;
        for (const auto& ue : cell.ues) last = std::max(last, ue.down_at.at(0));
        CHECK(last == sent + (flexible ? 1 : 3) * slot);
    }
}

TEST_CASE("Blocks have the fewest symbols that hold what there is") {
    const Frame frame = make_frame(FrameKind::kLegacy, 1e9);
    for (int mcs = 0; mcs < kMcsCount; ++mcs) {
        for (std::uint32_t bytes = 1; bytes < frame.block_bytes(mcs); bytes += 97) {
            const std::uint32_t symbols = frame.symbols_for(mcs, bytes);
            CHECK(frame.block_bytes(mcs, symbols) >= bytes);
            if (symbols > 1) CHECK(frame.block_bytes(mcs, symbols - 1) < bytes);
        }
        CHECK(frame.symbols_for(mcs, 1'000'000) == frame.data_symbols);
    }
}

TEST_CASE("Nothing is sent while beams are searched") {
    SmallCell cell(settings(Tti::kFixed, SchedulerKind::kRoundRobin), {kTop}, 100 * kMillisecond);
    cell.ues[0].fills_downlink = true;
    cell.run([&](Time now) { cell.ues[0].bearer->pause(now % (20 * kMillisecond) < 5 * kMillisecond); });
    CHECK(cell.down_share(0, 28) == Near(0.75, 0.02));
    CHECK(cell.phy_share(0, 28) == Near(0.75, 0.02));
}
