// SPDX-License-Identifier: GPL-2.0-only
#include "core/diffraction.h"

#include <cmath>

#include "tests/near.h"

using namespace mmwemu;

namespace {

constexpr double kWavelengthM = 299'792'458.0 / 28e9;
const Point kBase{0, 0, 3};

/// A wall at x = 50 that reaches far to one side and up: its only edge is at `y`.
Box half_plane(double y) {
    return {{50, -1e5, 0}, {50.001, y, 1e4}, 0};
}

/// Loss of a knife edge by ITU-R P.526, equation (31).
double itu_db(double height_m, double d1_m, double d2_m) {
    const double v = height_m * std::sqrt(2 / kWavelengthM * (1 / d1_m + 1 / d2_m));
    return 6.9 + 20 * std::log10(std::sqrt((v - 0.1) * (v - 0.1) + 1) + v - 0.1);
}

}  // namespace

TEST_CASE("The direct ray loses 6 dB at an edge") {
    const double at_edge = diffraction_db(half_plane(0), kBase, {75, 0, 1.5}, kWavelengthM);
    CHECK(at_edge == Near(6.02, 0.05));
}

TEST_CASE("Behind a single edge the loss is that of a knife edge") {
    for (const double height_m : {0.2, 0.5, 1.0, 3.0}) {
        const double loss_db = diffraction_db(half_plane(height_m), kBase, {75, 0, 3}, kWavelengthM);
        CHECK(loss_db == Near(itu_db(height_m, 50, 25), 1.5));
    }
}

TEST_CASE("Far from the edge nothing is lost, and the loss falls steadily on the way there") {
    double before = 1000;
    for (double y = 4; y > -4; y -= 0.01) {
        const double loss_db = diffraction_db(half_plane(y), kBase, {75, 0, 3}, kWavelengthM);
        CHECK(loss_db <= before + 1e-9);
        if (before < 1000) CHECK(before - loss_db < 1);
        before = loss_db;
    }
    CHECK(before == Near(0, 0.6));
}

TEST_CASE("Loss is the same in both directions, and a box that is not between the ends has none") {
    const Box person{{60, -0.25, 0}, {60.5, 0.25, 1.8}, 0};
    for (const double y : {-1.0, -0.3, 0.0, 0.2, 2.0}) {
        const Point ue{75, y, 1.5};
        const double down_db = diffraction_db(person, kBase, ue, kWavelengthM);
        CHECK(down_db == Near(diffraction_db(person, ue, kBase, kWavelengthM), 1e-9));
    }
    CHECK(diffraction_db(person, kBase, {55, 0, 1.5}, kWavelengthM) == 0);
    CHECK(diffraction_db(person, {65, 0, 3}, {75, 0, 1.5}, kWavelengthM) == 0);
}

TEST_CASE("A person who blocks the ray costs more than one who does not") {
    const Box person{{60, -0.25, 0}, {60.5, 0.25, 1.8}, 0};
    for (double y = -3; y < 3; y += 0.01) {
        for (const double z : {0.5, 1.0, 1.5, 2.5}) {
            const Point ue{75, y, z};
            const double loss_db = diffraction_db(person, kBase, ue, kWavelengthM);
            if (crosses(person, kBase, ue)) {
                CHECK(loss_db > 1.9);  // at an upper corner three quarters of the wave pass, and some on the other side
            } else {
                CHECK(loss_db < 6.1);
            }
        }
    }
}

TEST_CASE("Losses of several boxes add up") {
    const Box one{{60, -0.25, 0}, {60.5, 0.25, 1.8}, 0}, two{{65, -0.25, 0}, {65.5, 0.25, 1.8}, 0};
    const Point ue{75, 0, 1.2};
    const double sum_db = diffraction_db(one, kBase, ue, kWavelengthM) + diffraction_db(two, kBase, ue, kWavelengthM);
    CHECK(diffraction_db({one, two}, kBase, ue, kWavelengthM) == Near(sum_db, 1e-9));
}
