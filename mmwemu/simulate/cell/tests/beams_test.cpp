// SPDX-License-Identifier: GPL-2.0-only
#include "core/beams.h"

#include <cmath>
#include <numbers>

#include "core/link_budget.h"
#include "tests/near.h"

using namespace mmwemu;

namespace {

constexpr double kPi = std::numbers::pi, kLightMps = 299'792'458.0, kCarrierHz = 28e9, kBandwidthHz = 1e9;
constexpr Array kGnb{8, 8}, kUe{4, 4};

Point towards(double azimuth_deg, double elevation_deg) {
    const double a = azimuth_deg * kPi / 180, e = elevation_deg * kPi / 180;
    return {std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e)};
}

Point against(const Point& p) {
    return {-p.x, -p.y, -p.z};
}

std::vector<double> gains(const std::vector<Ray>& rays, const Beams& beams, Array gnb = kGnb, Array ue = kUe) {
    std::vector<double> gain(72);
    band_gain(rays, gnb, ue, beams, kBandwidthHz, gain);
    return gain;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

Ray free_space(double distance_m, const Point& departure) {
    const double amplitude = kLightMps / (4 * kPi * kCarrierHz * distance_m), delay_s = distance_m / kLightMps;
    return {delay_s, std::polar(amplitude, -2 * kPi * kCarrierHz * delay_s), departure, against(departure), true};
}

}  // namespace

TEST_CASE("One ray has the SINR of free space with the gain of both arrays, in each band") {
    for (const double azimuth_deg : {0.0, 37.0, 160.0, -95.0}) {
        const std::vector<Ray> rays{free_space(100, towards(azimuth_deg, -12))};
        for (const auto& make : {dft_beams, svd_beams}) {
            // 30 dBm - 101.39 dB + 18.06 dB + 12.04 dB - (-174 + 90 + 5) dBm.
            for (const double gain : gains(rays, make(rays, kGnb, kUe))) {
                CHECK(10 * std::log10(gain * sinr_of_unit_gain(30, kBandwidthHz, 5)) == Near(37.71, 0.01));
            }
        }
    }
}

TEST_CASE("Two rays interfere over the band as their delays say") {
    const double apart_s = 3.3e-9, phase = 0.7, ratio = 0.6;
    const Point same = towards(20, 5);
    std::vector<Ray> rays{{100e-9, 1e-5, same, against(same), true}, {}};
    rays[1] = {100e-9 + apart_s, std::polar(1e-5 * ratio, phase), same, against(same), false};
    const std::vector<double> gain = gains(rays, dft_beams(rays, kGnb, kUe));
    for (std::size_t b = 0; b < gain.size(); ++b) {
        const double off_hz = (static_cast<double>(b) + 0.5) / 72 * kBandwidthHz - kBandwidthHz / 2;
        const double turned = phase - 2 * kPi * off_hz * apart_s;
        const double expected = 1e-10 * 64 * 16 * (1 + ratio * ratio + 2 * ratio * std::cos(turned));
        CHECK(gain[b] == Near(expected, 1e-9 * 1e-10 * 1024));
    }
    CHECK(mean(gain) > 0.8e-10 * 1024);
}

TEST_CASE("A DFT beam points along the strongest ray, and a null of the array hides another one") {
    // A line of 8 elements along y: nulls where sin(azimuth) is off by a multiple of 2 / 8.
    const Array line{1, 8}, single{1, 1};
    const double null_deg = std::asin(0.25) * 180 / kPi;
    const Point ahead = towards(0, 0), aside = towards(null_deg, 0);
    const std::vector<Ray> rays{{1e-7, 0.9e-5, aside, against(aside), false},
                                {1e-7, 1e-5, ahead, against(ahead), true}};
    const Beams beams = dft_beams(rays, line, single);
    CHECK(mean(gains(rays, beams, line, single)) == Near(8e-10, 1e-15));
    CHECK(mean(gains({rays[0]}, beams, line, single)) == Near(0, 1e-20));
}

TEST_CASE("An SVD beam gets at least the power of a DFT beam, and more from rays that one beam can hold") {
    const auto power = [](const std::vector<Ray>& rays, const Beams& beams) {
        double sum = 0;
        for (const Ray& ray : rays) sum += mean(gains({ray}, beams));
        return sum;
    };
    for (int i = 0; i < 20; ++i) {
        const double turn = 17.0 * i, apart = 3.0 * i;
        const std::vector<Ray> rays{{0, 1e-5, towards(turn, 0), towards(2 * turn, 3), false},
                                    {40e-9, 0.9e-5, towards(turn + apart, 5), towards(2 * turn - apart, 3), false}};
        CHECK(power(rays, svd_beams(rays, kGnb, kUe)) >= 0.999999 * power(rays, dft_beams(rays, kGnb, kUe)));
    }
    const std::vector<Ray> near{{0, 1e-5, towards(0, 0), towards(0, 0), false},
                                {40e-9, 1e-5, towards(6, 0), towards(6, 0), false}};
    CHECK(power(near, svd_beams(near, kGnb, kUe)) > 1.05 * power(near, dft_beams(near, kGnb, kUe)));
}

TEST_CASE("Without rays nothing is received") {
    const Beams beams = svd_beams({}, kGnb, kUe);
    for (const double gain : gains({}, beams)) CHECK(gain == 0);
}
