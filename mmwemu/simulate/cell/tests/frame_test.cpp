// SPDX-License-Identifier: GPL-2.0-only
#include "core/frame.h"

#include "core/path_loss.h"
#include "tests/check.h"

using namespace mmwemu;

TEST(efficiencies_are_the_cqi_table_and_its_means) {
    CHECK_NEAR(efficiency(0), 0.1523, 1e-9);
    CHECK_NEAR(efficiency(1), 0.19335, 1e-9);
    CHECK_NEAR(efficiency(28), 5.5547, 1e-9);
    for (int mcs = 1; mcs < kMcsCount; ++mcs) CHECK(efficiency(mcs) > efficiency(mcs - 1));
}

TEST(legacy_frame) {
    const Frame frame = make_frame(FrameKind::kLegacy, 1e9);
    CHECK(frame.slot == 100'000);
    CHECK(frame.elements == 2592 && frame.data_symbols == 22);
    CHECK_NEAR(frame.peak_bps(28), 3.167e9, 2e6);
    CHECK(make_frame(FrameKind::kLegacy, 5e8).elements == 1296);
}

TEST(numerologies) {
    const Frame two = make_frame(FrameKind::kNumerology2, 1e9), three = make_frame(FrameKind::kNumerology3, 1e9);
    CHECK(two.slot == 250'000 && two.elements == 1389 * 11 && two.data_symbols == 12);
    CHECK(three.slot == 125'000 && three.elements == 695 * 11);
    CHECK_NEAR(two.peak_bps(28), 4.07e9, 1e7);
    CHECK_NEAR(three.peak_bps(28), 4.07e9, 1e7);
    CHECK(make_frame(FrameKind::kNumerology3, 144e7).elements == 1000 * 11);
}

TEST(path_loss_of_akdeniz) {
    const Point base{0, 0, 1}, ue{100, 0, 1};
    CHECK_NEAR(path_loss_db(PathLoss::kAkdeniz, 28e9, base, ue, true), 101.4, 1e-9);
    CHECK_NEAR(path_loss_db(PathLoss::kAkdeniz, 28e9, base, ue, false), 130.4, 1e-9);
}

TEST(path_loss_of_38901_at_a_low_ue) {
    const Point base{0, 0, 10}, ue{100, 0, 1};
    const double d3_m = std::hypot(100, 9);
    const double los_db = path_loss_db(PathLoss::kUmiStreetCanyon, 28e9, base, ue, true);
    CHECK_NEAR(los_db, 32.4 + 21 * std::log10(d3_m) + 20 * std::log10(28), 1e-9);
    CHECK(path_loss_db(PathLoss::kUmiStreetCanyon, 28e9, base, ue, false) > los_db + 15);
    CHECK(path_loss_db(PathLoss::kUma, 28e9, base, ue, false) >
          path_loss_db(PathLoss::kUma, 28e9, base, ue, true) + 15);
}

TEST(path_loss_steepens_at_the_breakpoint) {
    const Point base{0, 0, 3};
    const auto loss = [&](double x) { return path_loss_db(PathLoss::kUmiStreetCanyon, 28e9, base, {x, 0, 1.5}, true); };
    CHECK_NEAR(loss(373.6) - loss(373.5), 0, 0.1);  // continuous at 4 h'BS h'UT f / c = 373.6 m
    CHECK_NEAR(loss(4000) - loss(2000), 12.04, 0.05);
}
