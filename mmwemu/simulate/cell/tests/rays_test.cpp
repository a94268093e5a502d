// SPDX-License-Identifier: GPL-2.0-only
#include "core/rays.h"

#include <cmath>
#include <numbers>

#include "tests/near.h"

using namespace mmwemu;

namespace {

constexpr double kPi = std::numbers::pi, kLightMps = 299'792'458.0, kCarrierHz = 28e9;

/// The direct path from `base` to a point, as a tracer computes it.
Ray direct(const Point& base, const Point& at) {
    const double length_m = distance_m(base, at);
    const Point out{(at.x - base.x) / length_m, (at.y - base.y) / length_m, (at.z - base.z) / length_m};
    const double delay_s = length_m / kLightMps;
    const auto gain = std::polar(kLightMps / (4 * kPi * kCarrierHz * length_m), -2 * kPi * kCarrierHz * delay_s);
    return {delay_s, gain, out, {-out.x, -out.y, -out.z}, true};
}

std::complex<double> sum(const std::vector<Ray>& rays) {
    std::complex<double> all = 0;
    for (const Ray& ray : rays) all += ray.gain;
    return all;
}

std::string problem(const std::string& text) {
    try {
        parse_rays("r", text);
    } catch (const RayError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Rays are read") {
    const auto points = parse_rays("r",
                                   "point 0 1 2 3\nray 1e-7 -100 1.5 90 0 -90 30 1\nray 2e-7 -120 0 0 0 0 0 0\n"
                                   "\npoint 0.5 1.5 2 3\n");
    REQUIRE(points.size() == 2);
    REQUIRE(points[0].rays.size() == 2);
    CHECK(points[0].los());
    CHECK(!points[1].los());
    const Ray& ray = points[0].rays[0];
    CHECK(std::abs(ray.gain) == Near(1e-5, 1e-12));
    CHECK(std::arg(ray.gain) == Near(1.5, 1e-12));
    CHECK(ray.departure.y == Near(1, 1e-12));
    CHECK(ray.arrival.y == Near(-std::sqrt(0.75), 1e-12));
    CHECK(ray.arrival.z == Near(0.5, 1e-12));
    CHECK(points[1].position_m.x == Near(1.5, 0));
}

TEST_CASE("An error in a file of rays names its line") {
    CHECK(problem("") == "r: has no point");
    CHECK(problem("ray 0 0 0 0 0 0 0 0\n") == "r:1: ray: comes before the first point");
    CHECK(problem("point 0 0 0 1\npoint 0 0 0 1\n") == "r:2: point: ways must rise from 0");
    CHECK(problem("point 0 0 0 1\nray 0 0 0 0 0 0 0\n") == "r:2: ray: must have eight numbers");
    CHECK(problem("point 0 0 0 nan\n") == "r:1: point: must have four numbers");
    CHECK(problem("points 0\n") == "r:1: unknown record");
}

TEST_CASE("Between points a direct path has the phase and the power of its own length") {
    const Point base{0, 0, 10};
    const auto place = [](double along_m) { return Point{30, along_m, 1.5}; };
    std::vector<RayPoint> points;
    for (int i = 0; i <= 100; ++i) {
        const Point at = place(i * 0.1);
        points.push_back({i * 0.1, at, {direct(base, at)}});
    }
    RayField field(points, kCarrierHz);
    for (double along_m = 0; along_m < 10; along_m += 0.0137) {
        const std::complex<double> exact = direct(base, place(along_m)).gain;
        const std::complex<double> ratio = sum(field.at(along_m, place(along_m))) / exact;
        CHECK(std::abs(ratio) == Near(1, 0.01));
        CHECK(std::arg(ratio) == Near(0, 0.15));
    }
}

TEST_CASE("A moving UE sees a path turn at the rate of its Doppler shift") {
    const double speed_mps = 25, arrival_deg = 35;
    const Point arrival{std::cos(arrival_deg * kPi / 180), std::sin(arrival_deg * kPi / 180), 0};
    RayField field({{0, {0, 0, 1}, {{1e-7, 1e-5, {1, 0, 0}, arrival, false}}}}, kCarrierHz);
    const double doppler_hz = speed_mps / kLightMps * kCarrierHz * arrival.x;
    for (double time_s = 0; time_s < 0.001; time_s += 5e-5) {
        const double turned = std::arg(sum(field.at(0, {speed_mps * time_s, 0, 1})));
        CHECK(std::remainder(turned - 2 * kPi * doppler_hz * time_s, 2 * kPi) == Near(0, 1e-6));
    }
}

TEST_CASE("A path that only the next point has comes over one step, and line of sight changes in its middle") {
    const Ray ray{1e-7, 1e-5, {1, 0, 0}, {0, 0, 1}, true};
    RayField field({{0, {0, 0, 1}, {}}, {0.1, {0.1, 0, 1}, {ray}}}, kCarrierHz);
    CHECK(field.at(0, {0, 0, 1}).empty());
    CHECK(std::abs(sum(field.at(0.025, {0.025, 0, 1}))) == Near(0.25e-5, 1e-12));
    CHECK(std::abs(sum(field.at(0.1, {0.1, 0, 1}))) == Near(1e-5, 1e-12));
    CHECK(std::abs(sum(field.at(7, {0.1, 0, 1}))) == Near(1e-5, 1e-12));
    CHECK(!field.los(0.049));
    CHECK(field.los(0.051));
    CHECK(field.los(7));
}
