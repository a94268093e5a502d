// SPDX-License-Identifier: GPL-2.0-only
#include "core/drift.h"

#include <cmath>
#include <numbers>

#include "tests/near.h"

using namespace mmwemu;

namespace {

constexpr double kPi = std::numbers::pi;

void check_same(const Point& a, const Point& b, double tolerance) {
    CHECK(a.x == Near(b.x, tolerance));
    CHECK(a.y == Near(b.y, tolerance));
    CHECK(a.z == Near(b.z, tolerance));
}

DrawnRay ray(double departure_azimuth, double departure_inclination, double azimuth, double inclination) {
    return {unit(departure_azimuth, departure_inclination), unit(azimuth, inclination)};
}

}  // namespace

TEST_CASE("A ray begins as it was drawn") {
    const DrawnRay drawn = ray(0.4, 1.3, -2, 1.8);
    const DriftingRay drifting(drawn, {70, 3, 1.5}, 120, true);
    const auto state = drifting.at({70, 3, 1.5});
    CHECK(state.length_m == Near(120, 1e-9));
    check_same(state.arrival, drawn.arrival, 1e-12);
    check_same(state.departure, drawn.departure, 1e-12);
}

TEST_CASE("A small step changes delay and angles as (7.6-9) and (7.6-11) to (7.6-14) of TR 38.901 say") {
    const double zod = 1.3, aod = 0.4, zoa = 1.8, aoa = -2, length_m = 120, step_s = 1e-4;
    const Point ue{70, 3, 1.5}, v{3, -7, 0.5};
    for (const bool mirrored : {false, true}) {
        const DriftingRay drifting(ray(aod, zod, aoa, zoa), ue, length_m, mirrored);
        const auto state = drifting.at(ue + step_s * v);
        CHECK((state.length_m - length_m) / step_s == Near(-dot(unit(aoa, zoa), v), 1e-3));
        // Arrival, with the base station at rest: v' = -v.
        const Point azimuth_hat{-std::sin(aoa), std::cos(aoa), 0};
        const double turned = std::atan2(state.arrival.y, state.arrival.x) - aoa;
        CHECK(turned / step_s == Near(-dot(v, azimuth_hat) / (length_m * std::sin(zoa)), 1e-5));
        // Departure: v' = R v, with R of (7.6-13) that takes the way along azimuth to -X_n, that along inclination
        // to 1.
        const double x_n = mirrored ? -1 : 1;
        const Point inclination_hat{std::cos(zoa) * std::cos(aoa), std::cos(zoa) * std::sin(aoa), -std::sin(zoa)};
        const double departs = std::atan2(state.departure.y, state.departure.x) - aod;
        CHECK(departs / step_s == Near(-x_n * dot(v, azimuth_hat) / (length_m * std::sin(zod)), 1e-5));
        CHECK((std::acos(state.departure.z) - zod) / step_s == Near(dot(v, inclination_hat) / length_m, 1e-5));
    }
}

TEST_CASE("A ray from a wall is the mirror image of the base station") {
    // Base station at the origin, a wall at y = 20: the image is at (0, 40).
    const Point ue{60, 0, 0}, image{0, 40, 0};
    const double length_m = distance_m(image, ue);
    const double angle = std::atan2(40, 60);
    const DriftingRay drifting(ray(angle, kPi / 2, kPi - angle, kPi / 2), ue, length_m, false);
    const DriftingRay other(ray(angle, kPi / 2, kPi - angle, kPi / 2), ue, length_m, true);
    int matches = 0;
    for (const double x : {60.0, 50.0, 30.0, 10.0}) {
        const Point now{x, 0, 0};
        CHECK(drifting.at(now).length_m == Near(distance_m(image, now), 1e-9));
        const double leaves = std::atan2(40, x);
        for (const DriftingRay* one : {&drifting, &other}) {
            const Point departure = one->at(now).departure;
            matches += std::abs(std::atan2(departure.y, departure.x) - leaves) < 1e-9;
        }
    }
    CHECK(matches >= 4);
    CHECK(matches < 8);
}
