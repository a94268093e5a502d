// SPDX-License-Identifier: GPL-2.0-only
// The places of the ns-3 nodes.

#pragma once

#include <ns3/constant-velocity-mobility-model.h>
#include <ns3/node.h>
#include <ns3/vector.h>

#include <vector>

#include "core/geometry.h"

namespace mmwemu {

inline ns3::Vector to_vector(const Point& p) {
    return {p.x, p.y, p.z};
}

/// The place of the UE at the simulator's time.
Point position_now(const Route& route);

/// Place the node at `position_m`, at rest.
ns3::Ptr<ns3::ConstantVelocityMobilityModel> place(const ns3::Ptr<ns3::Node>& node, const Point& position_m);

/// Place the node on the route, and schedule its velocity at each waypoint.
ns3::Ptr<ns3::ConstantVelocityMobilityModel> follow(const ns3::Ptr<ns3::Node>& node,
                                                    const std::vector<Waypoint>& waypoints);

}  // namespace mmwemu
