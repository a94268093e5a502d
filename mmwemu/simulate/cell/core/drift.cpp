// SPDX-License-Identifier: GPL-2.0-only
#include "core/drift.h"

#include <cmath>

namespace mmwemu {

Point operator+(const Point& a, const Point& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

Point operator-(const Point& a, const Point& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

Point operator*(double factor, const Point& p) {
    return {factor * p.x, factor * p.y, factor * p.z};
}

double dot(const Point& a, const Point& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

Point unit(double azimuth, double inclination) {
    return {std::sin(inclination) * std::cos(azimuth), std::sin(inclination) * std::sin(azimuth),
            std::cos(inclination)};
}

namespace {

/// The direction itself and the unit vectors in which inclination and azimuth grow (TR 38.901, 7.1-13 and 7.1-14).
void set_axes(const Point& direction, Point (&axes)[3]) {
    const double level = std::hypot(direction.x, direction.y);
    const double c = level > 0 ? direction.x / level : 1, s = level > 0 ? direction.y / level : 0;
    axes[0] = direction;
    axes[1] = {direction.z * c, direction.z * s, -level};
    axes[2] = {-s, c, 0};
}

}  // namespace

DriftingRay::DriftingRay(const DrawnRay& drawn, const Point& ue_m, double length_m, bool mirrored)
    : image_m_(ue_m + length_m * drawn.arrival) {
    set_axes(drawn.arrival, arrival_);
    set_axes(drawn.departure, departure_);
    departure_[1] = -1.0 * departure_[1];
    if (mirrored) departure_[2] = -1.0 * departure_[2];
}

DriftingRay::State DriftingRay::at(const Point& ue_m) const {
    State state;
    const Point way = image_m_ - ue_m;
    state.length_m = std::sqrt(dot(way, way));
    if (state.length_m == 0) return {departure_[0], arrival_[0], 0};
    state.arrival = 1 / state.length_m * way;
    for (int axis = 0; axis < 3; ++axis) {
        state.departure = state.departure + dot(state.arrival, arrival_[axis]) * departure_[axis];
    }
    return state;
}

}  // namespace mmwemu
