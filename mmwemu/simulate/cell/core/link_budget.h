// SPDX-License-Identifier: GPL-2.0-only
// From path gain to SINR.

#pragma once

#include <cmath>

namespace mmwemu {

/// The SINR, linear, of a channel with gain 1: power spread evenly over the band, above thermal noise.
inline double sinr_of_unit_gain(double power_dbm, double bandwidth_hz, double noise_figure_db) {
    constexpr double kThermalDbmPerHz = -174;
    return std::pow(10, (power_dbm - kThermalDbmPerHz - noise_figure_db) / 10) / bandwidth_hz;
}

}  // namespace mmwemu
