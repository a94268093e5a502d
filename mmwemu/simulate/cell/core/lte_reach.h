// SPDX-License-Identifier: GPL-2.0-only
// The distances for which the path loss of the LTE cell holds.

#pragma once

#include <string>
#include <vector>

#include "core/config.h"

namespace mmwemu {

/// Why the model does not hold all along the route; empty if it does.
///
/// The hybrid buildings model holds up to 200 m; beyond it takes the way over the rooftops, whatever the heights. UMi
/// and UMa of TR 38.901, table 7.4.1-1, hold from 10 m to 5 km, both seen from above, for UEs up to 22.5 m high.
std::string lte_problem(LtePathLoss model, const Point& base_station_m, const std::vector<Waypoint>& route);

}  // namespace mmwemu
