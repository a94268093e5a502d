// SPDX-License-Identifier: GPL-2.0-only
// Rays that drift as the UE moves: TR 38.901, clause 7.6.3.2, procedure A.

#pragma once

#include <vector>

#include "core/geometry.h"

namespace mmwemu {

/// A ray as clause 7.5 of TR 38.901 draws it; directions are unit vectors away from the array.
struct DrawnRay {
    Point departure, arrival;
    double phase = 0;
    double power = 0;  // as a share of the whole channel's
};

/// Rays of the same delay.
struct DrawnTap {
    double delay_s = 0;     // after the direct path
    bool mirrored = false;  // the sign X_n of (7.6-13) and (7.6-14)
    std::vector<DrawnRay> rays;
};

/// One realisation of a channel: powers add up to about 1.
struct Draw {
    std::vector<DrawnTap> taps;
    double direct_power = 0;  // of the direct path; 0 without line of sight
    double excess_m = 0;      // by which the first tap's way is longer than the direct one
};

/// One ray with its last reflector as a mirror: it comes from a fixed image of the base station.
///
/// Procedure A turns the angles and changes the delay by the speed, step by step; here are the same equations, (7.6-9)
/// to (7.6-14), integrated exactly: delay and arrival are those of the image, and departure mirrors arrival.
class DriftingRay {
  public:
    /// A ray of `length_m` that reaches a UE at `ue_m`; `mirrored` is that of its tap.
    DriftingRay(const DrawnRay& drawn, const Point& ue_m, double length_m, bool mirrored);

    struct State {
        Point departure, arrival;
        double length_m = 0;
    };
    State at(const Point& ue_m) const;

  private:
    Point image_m_;
    Point arrival_[3], departure_[3];  // axes: along the ray, inclination, azimuth
};

Point operator+(const Point& a, const Point& b);
Point operator-(const Point& a, const Point& b);
Point operator*(double factor, const Point& p);
double dot(const Point& a, const Point& b);

/// The unit vector with this azimuth and inclination, rad.
Point unit(double azimuth, double inclination);

}  // namespace mmwemu
