// SPDX-License-Identifier: GPL-2.0-only
#include "core/path_loss.h"

#include <algorithm>
#include <cmath>

namespace mmwemu {

namespace {

constexpr double kLightMps = 299'792'458.0;
constexpr double kLowestUeM = 1.5;
constexpr double kEnvironmentHeightM = 1.0;  // h_E of TR 38.901, table 7.4.1-1, note 1

struct Reach {
    double d2_m, d3_m, base_m, ue_m, carrier_ghz;

    double breakpoint_m() const {
        return 4 * (base_m - kEnvironmentHeightM) * (ue_m - kEnvironmentHeightM) * carrier_ghz * 1e9 / kLightMps;
    }
};

/// LOS loss that falls with slope `near` up to the breakpoint and with slope 40 after it.
double two_slopes_db(const Reach& r, double constant_db, double near, double correction) {
    const double frequency_db = 20 * std::log10(r.carrier_ghz);
    const double breakpoint_m = r.breakpoint_m();
    if (r.d2_m <= breakpoint_m) return constant_db + near * std::log10(r.d3_m) + frequency_db;
    const double height_m = r.base_m - r.ue_m;
    return constant_db + 40 * std::log10(r.d3_m) + frequency_db -
           correction * std::log10(breakpoint_m * breakpoint_m + height_m * height_m);
}

double umi_db(const Reach& r, bool los) {
    const double los_db = two_slopes_db(r, 32.4, 21, 9.5);
    if (los) return los_db;
    return std::max(los_db, 35.3 * std::log10(r.d3_m) + 22.4 + 21.3 * std::log10(r.carrier_ghz) - 0.3 * (r.ue_m - 1.5));
}

double uma_db(const Reach& r, bool los) {
    const double los_db = two_slopes_db(r, 28, 22, 9);
    if (los) return los_db;
    return std::max(los_db, 13.54 + 39.08 * std::log10(r.d3_m) + 20 * std::log10(r.carrier_ghz) - 0.6 * (r.ue_m - 1.5));
}

}  // namespace

double path_loss_db(PathLoss model, double carrier_hz, const Point& base_station_m, const Point& ue_m, bool los) {
    const double d3_m = std::max(1.0, distance_m(base_station_m, ue_m));
    if (model == PathLoss::kAkdeniz) {
        return los ? 61.4 + 20 * std::log10(d3_m) : 72 + 29.2 * std::log10(d3_m);
    }
    const double d2_m = std::hypot(ue_m.x - base_station_m.x, ue_m.y - base_station_m.y);
    const Reach reach{d2_m, d3_m, std::max(base_station_m.z, kLowestUeM), std::max(ue_m.z, kLowestUeM),
                      carrier_hz / 1e9};
    return model == PathLoss::kUmiStreetCanyon ? umi_db(reach, los) : uma_db(reach, los);
}

}  // namespace mmwemu
