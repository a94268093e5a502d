// SPDX-License-Identifier: GPL-2.0-only
#include "core/beams.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mmwemu {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kRounds = 6, kIterations = 10;

/// Sum of products, without conjugation.
Complex product(const Weights& a, const Weights& b) {
    Complex sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void normalise(Weights& v) {
    double power = 0;
    for (const Complex& c : v) power += std::norm(c);
    const double scale = power > 0 ? 1 / std::sqrt(power) : 0;
    for (Complex& c : v) c *= scale;
}

/// Unit weights with a larger sum of |weights * response|^2 * power than `v`, by power iteration from there.
Weights stronger(const std::vector<Weights>& responses, const std::vector<double>& powers, Weights v) {
    for (int round = 0; round < kIterations; ++round) {
        Weights next(v.size());
        for (std::size_t i = 0; i < responses.size(); ++i) {
            const Complex through = powers[i] * product(v, responses[i]);
            for (std::size_t k = 0; k < v.size(); ++k) next[k] += through * std::conj(responses[i][k]);
        }
        normalise(next);
        v = std::move(next);
    }
    return v;
}

}  // namespace

Beams dft_beams(std::span<const Ray> rays, const Array& gnb, const Array& ue) {
    const auto found = std::max_element(
        rays.begin(), rays.end(), [](const Ray& a, const Ray& b) { return std::norm(a.gain) < std::norm(b.gain); });
    if (found == rays.end()) return {PlanarArray(gnb).beam({1, 0, 0}), PlanarArray(ue).beam({1, 0, 0})};
    return {PlanarArray(gnb).beam(found->departure), PlanarArray(ue).beam(found->arrival)};
}

Beams svd_beams(std::span<const Ray> rays, const Array& gnb, const Array& ue) {
    Beams beams = dft_beams(rays, gnb, ue);
    if (rays.empty()) return beams;
    double most = 0;
    for (const Ray& ray : rays) most = std::max(most, std::norm(ray.gain));
    std::vector<Weights> departures, arrivals;
    for (const Ray& ray : rays) {
        departures.push_back(PlanarArray(gnb).phases(ray.departure));
        arrivals.push_back(PlanarArray(ue).phases(ray.arrival));
    }
    // Powers of the rays through the beam at one end.
    const auto through = [&](const Weights& weights, const std::vector<Weights>& responses) {
        std::vector<double> powers;
        for (std::size_t i = 0; i < rays.size(); ++i)
            powers.push_back(std::norm(rays[i].gain) / most * std::norm(product(weights, responses[i])));
        return powers;
    };
    for (int round = 0; round < kRounds && most > 0; ++round) {
        beams.ue = stronger(arrivals, through(beams.gnb, departures), std::move(beams.ue));
        beams.gnb = stronger(departures, through(beams.ue, arrivals), std::move(beams.gnb));
    }
    return beams;
}

void band_gain(std::span<const Ray> rays, const Array& gnb, const Array& ue, const Beams& beams, double bandwidth_hz,
               std::span<double> gain) {
    const double width_hz = bandwidth_hz / static_cast<double>(gain.size());
    std::vector<Complex> sum(gain.size());
    for (const Ray& ray : rays) {
        Complex wave = ray.gain * product(beams.gnb, PlanarArray(gnb).phases(ray.departure)) *
                       product(beams.ue, PlanarArray(ue).phases(ray.arrival));
        wave *= std::polar(1.0, -2 * kPi * (width_hz - bandwidth_hz) / 2 * ray.delay_s);
        const Complex step = std::polar(1.0, -2 * kPi * width_hz * ray.delay_s);
        for (Complex& band : sum) {
            band += wave;
            wave *= step;
        }
    }
    std::transform(sum.begin(), sum.end(), gain.begin(), [](const Complex& c) { return std::norm(c); });
}

}  // namespace mmwemu
