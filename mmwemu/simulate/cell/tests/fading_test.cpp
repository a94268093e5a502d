// SPDX-License-Identifier: GPL-2.0-only
#include "core/fading.h"

#include <cmath>
#include <numbers>
#include <random>

#include "tests/near.h"

using namespace mmwemu;

namespace {

constexpr double kPi = std::numbers::pi;
const Bands kBands{28e9, 1e9 / 4, 4};
const Point kBase{0, 0, 3};

Ends single_elements() {
    return {PlanarArray({1, 1}), PlanarArray({1, 1}), {1.0}, {1.0}, 1};
}

/// A ring of arrivals round the UE with the power spread evenly and phases at random.
struct Ring {
    std::mt19937 engine{3};

    Draw operator()(const Point&) {
        std::uniform_real_distribution<double> phase(-kPi, kPi);
        DrawnTap tap;
        constexpr int kRays = 64;
        const double turn = phase(engine);
        for (int i = 0; i < kRays; ++i) {
            tap.rays.push_back({{1, 0, 0}, unit(turn + 2 * kPi * i / kRays, kPi / 2), phase(engine), 1.0 / kRays});
        }
        return {{tap}, 0, 0};
    }
};

Motion along(double x, double speed, Time now, Time step) {
    Motion motion;
    motion.now = now;
    motion.ue_m = {75 + x, 0, 3};
    motion.velocity_mps = {speed, 0, 0};
    motion.travelled_m = x;
    motion.step = step;
    return motion;
}

/// The first band at steps of `step` on the way at `speed`.
std::vector<Complex> walk(Fading& fading, double speed, Time step, int count) {
    const Ends ends = single_elements();
    std::vector<Complex> found;
    for (int i = 0; i < count; ++i) {
        const Motion motion = along(speed * to_seconds(i * step), speed, i * step, step);
        fading.renew(motion);
        fading.follow(motion, ends);
        Field field(kBands.count);
        fading.add_to(field, 1);
        found.emplace_back(field.re[0], field.im[0]);
    }
    return found;
}

}  // namespace

TEST_CASE("An isotropic ring of rays has Doppler's autocorrelation J0") {
    const double speed = 25, doppler_hz = speed / kBands.wavelength_m();
    const Time step = 20 * kMicrosecond;
    std::vector<Complex> sums(60);
    double power = 0;
    for (int run = 0; run < 2000; ++run) {
        Ring ring;
        ring.engine.seed(static_cast<unsigned>(run));
        Fading fading([&](const Point& ue) { return ring(ue); }, kBands, kBase, 1e6);
        const auto found = walk(fading, speed, step, 60);
        power += std::norm(found[0]);
        for (std::size_t lag = 0; lag < sums.size(); ++lag) sums[lag] += found[lag] * std::conj(found[0]);
    }
    CHECK(power / 2000 == Near(1, 0.1));
    for (std::size_t lag = 0; lag < sums.size(); ++lag) {
        const double expected = std::cyl_bessel_j(0, 2 * kPi * doppler_hz * to_seconds(static_cast<Time>(lag) * step));
        CHECK(std::abs(sums[lag] / power - expected) < 0.06);
    }
}

TEST_CASE("Turning phases step by step is the same as computing them anew") {
    Ring one, two;
    Fading stepped([&](const Point& ue) { return one(ue); }, kBands, kBase, 1e6);
    Fading jumped([&](const Point& ue) { return two(ue); }, kBands, kBase, 1e6);
    const auto found = walk(stepped, 3, 100 * kMicrosecond, 1000);
    const Ends ends = single_elements();
    for (const int i : {0, 999}) {
        const Motion motion = along(3 * i * 1e-4, 3, i * 100 * kMicrosecond, 100 * kMicrosecond + i);
        jumped.renew(motion);
        jumped.follow(motion, ends);
        Field field(kBands.count);
        jumped.add_to(field, 1);
        CHECK(std::abs(Complex(field.re[0], field.im[0]) - found[static_cast<std::size_t>(i)]) < 0.05);
    }
}

TEST_CASE("Fading drifts: without a jump where one realisation follows another, and with the same power on average") {
    double power = 0, greatest = 0;
    constexpr int kRuns = 100;
    for (int run = 0; run < kRuns; ++run) {
        Ring ring;
        ring.engine.seed(static_cast<unsigned>(run));
        Fading fading([&](const Point& ue) { return ring(ue); }, kBands, kBase, 0.5);
        const auto found = walk(fading, 2, kMillisecond / 4, 2000);  // twice the correlation distance
        for (std::size_t i = 0; i < found.size(); ++i) {
            power += std::norm(found[i]);
            if (i > 0) greatest = std::max(greatest, std::abs(found[i] - found[i - 1]));
        }
    }
    CHECK(power / kRuns / 2000 == Near(1, 0.1));
    // At most the power of a ring whose rays all turn by 0.29 rad.
    CHECK(greatest < 1.2);
}

TEST_CASE("A UE at rest has a constant channel") {
    Ring ring;
    Fading fading([&](const Point& ue) { return ring(ue); }, kBands, kBase, 10);
    const auto found = walk(fading, 0, kMillisecond, 50);
    for (const Complex& one : found) CHECK(one == found[0]);
}

TEST_CASE("Two waves interfere over the bands as their delays say") {
    Field field(kBands.count);
    field.add(kBands, 1, 0);
    field.add(kBands, 1, 2e-9);
    for (int b = 0; b < kBands.count; ++b) {
        const double off_hz = (b + 0.5 - kBands.count / 2.0) * kBands.width_hz;
        const auto i = static_cast<std::size_t>(b);
        const double expected = 2 + 2 * std::cos(2 * kPi * off_hz * 2e-9);
        CHECK(field.re[i] * field.re[i] + field.im[i] * field.im[i] == Near(expected, 1e-9));
    }
}
