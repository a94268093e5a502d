// SPDX-License-Identifier: GPL-2.0-only
#include "core/lte_reach.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace mmwemu {

namespace {

constexpr double kHybridMostM = 200, kMostM = 5000, kLeastM = 10, kHighestM = 22.5;

/// Distance of the origin from the line between two points, seen from above.
double nearest_m(const Point& a, const Point& b) {
    const double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
    const double share = squared > 0 ? std::clamp(-(a.x * dx + a.y * dy) / squared, 0.0, 1.0) : 0;
    return std::hypot(a.x + share * dx, a.y + share * dy);
}

}  // namespace

std::string lte_problem(LtePathLoss model, const Point& base_station_m, const std::vector<Waypoint>& route) {
    const bool hybrid = model == LtePathLoss::kHybridBuildings;
    double farthest_m = 0, least_m = INFINITY, highest_m = 0;
    for (std::size_t i = 0; i < route.size(); ++i) {
        const auto from_base = [&](const Waypoint& w) {
            return Point{w.position_m.x - base_station_m.x, w.position_m.y - base_station_m.y, 0};
        };
        const Point from_above = from_base(route[i]);
        farthest_m = std::max(farthest_m, hybrid ? distance_m(base_station_m, route[i].position_m)
                                                 : std::hypot(from_above.x, from_above.y));
        highest_m = std::max(highest_m, route[i].position_m.z);
        least_m =
            std::min(least_m, nearest_m(from_base(route[i]), from_base(route[std::min(i + 1, route.size() - 1)])));
    }
    std::ostringstream problem;
    if (farthest_m > (hybrid ? kHybridMostM : kMostM)) {
        problem << "holds up to " << (hybrid ? kHybridMostM : kMostM) << " m; the UE goes " << farthest_m << " m away";
    } else if (!hybrid && least_m < kLeastM) {
        problem << "holds from " << kLeastM << " m; the UE comes as near as " << least_m << " m";
    } else if (!hybrid && highest_m > kHighestM) {
        problem << "holds for UEs up to " << kHighestM << " m above the ground; this one gets to " << highest_m << " m";
    }
    return problem.str();
}

}  // namespace mmwemu
