// SPDX-License-Identifier: GPL-2.0-only
// Points, boxes, routes, and the line of sight between two points.

#pragma once

#include <vector>

namespace mmwemu {

/// A place or a direction, m.
struct Point {
    double x = 0, y = 0, z = 0;
};

double distance_m(const Point& a, const Point& b);

/// An obstacle with sides along the axes; `loss_db` comes on top of the NLOS path loss.
struct Box {
    Point low, high;
    double loss_db = 0;
};

/// Whether the straight segment from `a` to `b` passes through the box; touching a side from outside does not count.
bool crosses(const Box& box, const Point& a, const Point& b);

struct Waypoint {
    double time_s = 0;
    Point position_m;
};

/// Straight lines at constant speed between waypoints; at rest before the first and after the last.
class Route {
  public:
    explicit Route(std::vector<Waypoint> waypoints);

    Point position_m(double time_s) const;
    Point velocity_mps(double time_s) const;

    /// Way gone since the start.
    double along_m(double time_s) const;

  private:
    std::size_t leg(double time_s) const;

    std::vector<Waypoint> waypoints_;
    std::vector<double> along_m_;  // at each waypoint
};

/// The obstacles in the direct ray.
struct Sight {
    bool los = true;
    double loss_db = 0;  // sum over the boxes crossed
};

Sight look(const std::vector<Box>& boxes, const Point& a, const Point& b);

}  // namespace mmwemu
