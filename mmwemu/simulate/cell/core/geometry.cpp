// SPDX-License-Identifier: GPL-2.0-only
#include "core/geometry.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mmwemu {

double distance_m(const Point& a, const Point& b) {
    return std::hypot(b.x - a.x, b.y - a.y, b.z - a.z);
}

namespace {

/// Narrow [enter, leave] to the part of the segment between two parallel sides; false if nothing is left.
bool clip(double from, double to, double low, double high, double& enter, double& leave) {
    const double step = to - from;
    if (step == 0) return from > low && from < high;
    double near = (low - from) / step, far = (high - from) / step;
    if (near > far) std::swap(near, far);
    enter = std::max(enter, near);
    leave = std::min(leave, far);
    return enter < leave;
}

}  // namespace

bool crosses(const Box& box, const Point& a, const Point& b) {
    double enter = 0, leave = 1;
    return clip(a.x, b.x, box.low.x, box.high.x, enter, leave) && clip(a.y, b.y, box.low.y, box.high.y, enter, leave) &&
           clip(a.z, b.z, box.low.z, box.high.z, enter, leave);
}

Route::Route(std::vector<Waypoint> waypoints) : waypoints_(std::move(waypoints)) {
    for (const Waypoint& waypoint : waypoints_) {
        const double leg_m =
            along_m_.empty() ? 0 : distance_m(waypoints_[along_m_.size() - 1].position_m, waypoint.position_m);
        along_m_.push_back(along_m_.empty() ? 0 : along_m_.back() + leg_m);
    }
}

std::size_t Route::leg(double time_s) const {
    const auto after = std::upper_bound(waypoints_.begin(), waypoints_.end(), time_s,
                                        [](double time, const Waypoint& w) { return time < w.time_s; });
    return static_cast<std::size_t>(after - waypoints_.begin());
}

Point Route::position_m(double time_s) const {
    const std::size_t next = leg(time_s);
    if (next == 0) return waypoints_.front().position_m;
    if (next == waypoints_.size()) return waypoints_.back().position_m;
    const Waypoint& from = waypoints_[next - 1];
    const Point v = velocity_mps(time_s);
    const double passed_s = time_s - from.time_s;
    return {from.position_m.x + v.x * passed_s, from.position_m.y + v.y * passed_s, from.position_m.z + v.z * passed_s};
}

double Route::along_m(double time_s) const {
    const std::size_t next = leg(time_s);
    if (next == 0) return 0;
    const Waypoint& from = waypoints_[next - 1];
    if (next == waypoints_.size()) return along_m_.back();
    const double share = (time_s - from.time_s) / (waypoints_[next].time_s - from.time_s);
    return along_m_[next - 1] + share * (along_m_[next] - along_m_[next - 1]);
}

Point Route::velocity_mps(double time_s) const {
    const std::size_t next = leg(time_s);
    if (next == 0 || next == waypoints_.size()) return {};
    const Waypoint &a = waypoints_[next - 1], &b = waypoints_[next];
    const double span_s = b.time_s - a.time_s;
    return {(b.position_m.x - a.position_m.x) / span_s, (b.position_m.y - a.position_m.y) / span_s,
            (b.position_m.z - a.position_m.z) / span_s};
}

Sight look(const std::vector<Box>& boxes, const Point& a, const Point& b) {
    Sight sight;
    for (const Box& box : boxes) {
        if (!crosses(box, a, b)) continue;
        sight.los = false;
        sight.loss_db += box.loss_db;
    }
    return sight;
}

}  // namespace mmwemu
