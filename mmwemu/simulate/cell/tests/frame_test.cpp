// SPDX-License-Identifier: GPL-2.0-only
#include "core/frame.h"

#include "core/path_loss.h"
#include "tests/near.h"

using namespace mmwemu;

TEST_CASE("Efficiencies are those of the CQI table and their means") {
    CHECK(efficiency(0) == Near(0.1523, 1e-9));
    CHECK(efficiency(1) == Near(0.19335, 1e-9));
    CHECK(efficiency(28) == Near(5.5547, 1e-9));
    for (int mcs = 1; mcs < kMcsCount; ++mcs) CHECK(efficiency(mcs) > efficiency(mcs - 1));
}

TEST_CASE("The legacy frame has its slot, symbols and peak rate") {
    const Frame frame = make_frame(FrameKind::kLegacy, 1e9);
    CHECK(frame.slot == 100'000);
    CHECK(frame.elements == 2592);
    CHECK(frame.data_symbols == 22);
    CHECK(frame.peak_bps(28) == Near(3.167e9, 2e6));
    CHECK(make_frame(FrameKind::kLegacy, 5e8).elements == 1296);
}

TEST_CASE("Numerologies 2 and 3 have their slots, symbols and peak rates") {
    const Frame two = make_frame(FrameKind::kNumerology2, 1e9), three = make_frame(FrameKind::kNumerology3, 1e9);
    CHECK(two.slot == 250'000);
    CHECK(two.elements == 1389 * 11);
    CHECK(two.data_symbols == 12);
    CHECK(three.slot == 125'000);
    CHECK(three.elements == 695 * 11);
    CHECK(two.peak_bps(28) == Near(4.07e9, 1e7));
    CHECK(three.peak_bps(28) == Near(4.07e9, 1e7));
    CHECK(make_frame(FrameKind::kNumerology3, 144e7).elements == 1000 * 11);
}

TEST_CASE("The path loss of Akdeniz has its values at 100 m") {
    const Point base{0, 0, 1}, ue{100, 0, 1};
    CHECK(path_loss_db(PathLoss::kAkdeniz, 28e9, base, ue, true) == Near(101.4, 1e-9));
    CHECK(path_loss_db(PathLoss::kAkdeniz, 28e9, base, ue, false) == Near(130.4, 1e-9));
}

TEST_CASE("The path loss of TR 38.901 has its value at a low UE") {
    const Point base{0, 0, 10}, ue{100, 0, 1};
    const double d3_m = std::hypot(100, 9);
    const double los_db = path_loss_db(PathLoss::kUmiStreetCanyon, 28e9, base, ue, true);
    CHECK(los_db == Near(32.4 + 21 * std::log10(d3_m) + 20 * std::log10(28), 1e-9));
    CHECK(path_loss_db(PathLoss::kUmiStreetCanyon, 28e9, base, ue, false) > los_db + 15);
    CHECK(path_loss_db(PathLoss::kUma, 28e9, base, ue, false) >
          path_loss_db(PathLoss::kUma, 28e9, base, ue, true) + 15);
}

TEST_CASE("The path loss steepens at the breakpoint distance") {
    const Point base{0, 0, 3};
    const auto loss = [&](double x) { return path_loss_db(PathLoss::kUmiStreetCanyon, 28e9, base, {x, 0, 1.5}, true); };
    CHECK(loss(373.6) - loss(373.5) == Near(0, 0.1));  // continuous at 4 h'BS h'UT f / c = 373.6 m
    CHECK(loss(4000) - loss(2000) == Near(12.04, 0.05));
}
