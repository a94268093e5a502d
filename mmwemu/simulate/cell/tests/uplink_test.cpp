// SPDX-License-Identifier: GPL-2.0-only
#include "tests/near.h"
#include "tests/small_cell.h"

using namespace mmwemu;

namespace {

constexpr double kTop = 20;  // dB, MCS 28

MmwaveConfig settings(Tti tti, double share) {
    MmwaveConfig config;
    config.tti = tti;
    config.uplink.share = share;
    return config;
}

bool in_order(const std::vector<Sdu>& packets) {
    for (std::size_t i = 0; i < packets.size(); ++i) {
        if (packets[i].id != i) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("With full buffers each direction gets its share, and could have had no more") {
    for (const Tti tti : {Tti::kFixed, Tti::kFlexible}) {
        for (const double share : {0.1, 0.2, 0.3, 0.5, 0.9}) {
            for (const std::size_t n : {1, 3}) {
                SmallCell cell(settings(tti, share), std::vector<double>(n, kTop), 500 * kMillisecond);
                for (auto& ue : cell.ues) ue.fills_downlink = ue.fills_uplink = true;
                cell.run();
                double down = 0, up = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    down += cell.down_share(i, 28);
                    up += cell.up_share(i, 28);
                }
                CHECK(down == Near(1 - share, 0.02));
                CHECK(up == Near(share, 0.02));
                if (n > 1) continue;
                CHECK(cell.phy_share(0, 28) == Near(1 - share, 0.015));
                CHECK(cell.uplink_phy_share(0, 28) == Near(share, 0.015));
            }
        }
    }
}

TEST_CASE("Each direction gets what the other leaves") {
    for (const Tti tti : {Tti::kFixed, Tti::kFlexible}) {
        SmallCell up(settings(tti, 0.2), {kTop}, 500 * kMillisecond);
        up.ues[0].fills_uplink = true;
        up.run();
        CHECK(up.up_share(0, 28) > 0.87);
        // The downlink would have been sure of its share.
        CHECK(up.phy_share(0, 28) == Near(0.8, 0.02));
    }
}

TEST_CASE("A status PDU takes a slot with a fixed TTI and a symbol with a flexible one") {
    // One status each millisecond, which is 10 slots of 22 symbols.
    SmallCell fixed(settings(Tti::kFixed, 0.2), {kTop}, 500 * kMillisecond);
    fixed.ues[0].fills_downlink = true;
    fixed.run();
    CHECK(fixed.phy_share(0, 28) == Near(1 - 1.0 / 10, 0.01));
    CHECK(fixed.down_share(0, 28) == Near(1 - 1.0 / 10, 0.02));
    SmallCell flexible(settings(Tti::kFlexible, 0.2), {kTop}, 500 * kMillisecond);
    flexible.ues[0].fills_downlink = true;
    flexible.run();
    CHECK(flexible.phy_share(0, 28) == Near(1 - 1.0 / 220, 0.001));
}

TEST_CASE("A packet of the UE waits for its request and its grant") {
    SmallCell cell(settings(Tti::kFlexible, 0.2), {kTop}, 10 * kMillisecond);
    const Time sent = 5 * kMillisecond;
    cell.run([&](Time now) {
        if (now == sent) cell.push_up(0, now, 60);
    });
    REQUIRE(cell.ues[0].up.size() == 1);
    CHECK(cell.ues[0].up_at[0] == sent + (kReportSlots + 1) * cell.frame.slot);
}

TEST_CASE("The uplink has the power and the noise of its own ends") {
    MmwaveConfig config = settings(Tti::kFlexible, 0.2);
    config.uplink.power_dbm = -10;
    SmallCell cell(config, {18.5}, 500 * kMillisecond);
    cell.ues[0].fills_downlink = cell.ues[0].fills_uplink = true;
    cell.run();
    CHECK(cell.down_share(0, 28) == Near(0.8, 0.02));
    CHECK(cell.up_share(0, 18) == Near(0.2, 0.01));
}

TEST_CASE("Nothing is lost and nothing out of order in either direction, whatever is lost on the air") {
    for (const Tti tti : {Tti::kFixed, Tti::kFlexible}) {
        for (const double loss : {0.0, 0.05, 0.3}) {
            MmwaveConfig config = settings(tti, 0.3);
            config.harq = false;
            SmallCell cell(config, {kTop, kTop}, 3 * kSecond, loss / 10);  // of each code block of several
            cell.run([&](Time now) {
                for (std::size_t i = 0; i < 2 && now < 2 * kSecond; ++i) {
                    cell.push_down(i, now, 1428);
                    cell.push_up(i, now, 100);
                }
            });
            for (const auto& ue : cell.ues) {
                CHECK(ue.down.size() == ue.next_down);
                CHECK(in_order(ue.down));
                CHECK(ue.up.size() == ue.next_up);
                CHECK(in_order(ue.up));
            }
        }
    }
}
