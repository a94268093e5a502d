// SPDX-License-Identifier: GPL-2.0-only
#include "radio/mobility.h"

#include <ns3/simulator.h>

#include "core/time.h"

namespace mmwemu {

using Model = ns3::Ptr<ns3::ConstantVelocityMobilityModel>;

Point position_now(const Route& route) {
    return route.position_m(to_seconds(ns3::Simulator::Now().GetNanoSeconds()));
}

Model place(const ns3::Ptr<ns3::Node>& node, const Point& position_m) {
    Model model = ns3::CreateObject<ns3::ConstantVelocityMobilityModel>();
    model->SetPosition(to_vector(position_m));
    node->AggregateObject(model);
    return model;
}

Model follow(const ns3::Ptr<ns3::Node>& node, const std::vector<Waypoint>& waypoints) {
    Model model = place(node, waypoints.front().position_m);
    const Route route(waypoints);
    for (const Waypoint& waypoint : waypoints) {
        const ns3::Vector position = to_vector(waypoint.position_m);
        const ns3::Vector velocity = to_vector(route.velocity_mps(waypoint.time_s));
        ns3::Simulator::Schedule(ns3::NanoSeconds(from_seconds(waypoint.time_s)), [model, position, velocity] {
            model->SetPosition(position);
            model->SetVelocity(velocity);
        });
    }
    return model;
}

}  // namespace mmwemu
