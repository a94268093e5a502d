// SPDX-License-Identifier: GPL-2.0-only
// The paths along a route: their file, and what they are between the points of the file.

#pragma once

#include <complex>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/geometry.h"

namespace mmwemu {

/// One path from the base station to the UE.
struct Ray {
    double delay_s = 0;
    std::complex<double> gain;  // amplitude and phase at the carrier, in isotropic antennas
    Point departure, arrival;   // unit vectors: where it leaves to, where it comes from
    bool direct = false;
};

/// The paths to one point of the route.
struct RayPoint {
    double along_m = 0;  // way from the start of the route
    Point position_m;
    std::vector<Ray> rays;

    bool los() const;
};

/// A file of rays that cannot be used; the message names file and line.
class RayError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Read points: a line `point ALONG_M X Y Z` and, for each path to it, one of eight values that begins with `ray`:
/// delay [s], gain [dB], phase [rad], departure azimuth and elevation, arrival azimuth and elevation [degrees], and 1
/// for the direct path, else 0.
std::vector<RayPoint> read_rays(const std::string& path);
std::vector<RayPoint> parse_rays(const std::string& name, const std::string& text);

/// Points along a route, and the paths between them.
class RayField {
  public:
    RayField(std::vector<RayPoint> points, double carrier_hz);

    /// The paths at a place after `along_m` of the route, and whether one is direct; valid until the next call.
    ///
    /// Each path of the two points around is carried to the place as a plane wave: its length grows by what the place
    /// is farther along the wave. The amplitudes of the two points fade into each other in proportion to the way, so
    /// that a path of both has its own amplitude and phase, and one that comes or goes does so over one step.
    const std::vector<Ray>& at(double along_m, const Point& position_m);

    /// Whether the point of the file that is nearest to `along_m` has a direct path.
    bool los(double along_m) const;

  private:
    std::size_t after(double along_m) const;
    void carry(const RayPoint& point, const Point& position_m, double weight);

    std::vector<RayPoint> points_;
    double carrier_hz_;
    std::vector<Ray> here_;
};

}  // namespace mmwemu
