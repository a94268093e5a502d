// SPDX-License-Identifier: GPL-2.0-only
#include "core/diffraction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace mmwemu {

namespace {

constexpr double kNoWay = 0.5;  // an edge so far away that nothing passes it

/// A view of the direct ray, from the side or from above: the ray runs from (0, 0) to (length, 0).
struct View {
    double length_m, wavelength_m;

    /// How much of the wave an edge at (along, across) holds back, 0 to 0.5.
    double edge(double along_m, double across_m) const {
        const double detour_m = std::hypot(along_m, across_m) + std::hypot(length_m - along_m, across_m) - length_m;
        const double argument = std::sqrt(std::numbers::pi / wavelength_m * std::max(0.0, detour_m));
        return std::atan(std::numbers::pi / 2 * argument) / std::numbers::pi;
    }
};

/// The share of the wave that a screen between two edges takes; their places across the ray are `low` < `high`.
double taken(double low_m, double low_edge, double high_m, double high_edge) {
    if (low_m < 0 && high_m > 0) return low_edge + high_edge;
    return std::abs(high_edge - low_edge);
}

/// The part of the ray, 0 to 1, above the footprint of the box; a single place beside it if it passes.
struct Span {
    double enter = 0, leave = 1;
};

}  // namespace

double diffraction_db(const Box& box, const Point& a, const Point& b, double wavelength_m) {
    const double length_m = std::hypot(b.x - a.x, b.y - a.y);
    if (length_m == 0) return crosses(box, a, b) ? kMostDiffractionDb : 0;
    const double dx = (b.x - a.x) / length_m, dy = (b.y - a.y) / length_m;
    struct Corner {
        double along, across;
    };
    std::array<Corner, 4> corners{};
    std::size_t next = 0;
    for (const double x : {box.low.x, box.high.x}) {
        for (const double y : {box.low.y, box.high.y}) {
            corners[next++] = {(x - a.x) * dx + (y - a.y) * dy, (y - a.y) * dx - (x - a.x) * dy};
        }
    }
    const auto by_across = [](const Corner& l, const Corner& r) { return l.across < r.across; };
    const auto [left, right] = std::minmax_element(corners.begin(), corners.end(), by_across);
    const auto by_along = [](const Corner& l, const Corner& r) { return l.along < r.along; };
    const auto [near, far] = std::minmax_element(corners.begin(), corners.end(), by_along);
    if (far->along <= 0 || near->along >= length_m) return 0;

    const View view{length_m, wavelength_m};
    const double width = taken(left->across, view.edge(left->along, left->across), right->across,
                               view.edge(right->along, right->across));

    Span span{near->along, far->along};
    if (left->across < 0 && right->across > 0) {
        // Within the footprint: the part of the ray between the sides, from the same corners.
        const auto pass = [&](double low, double high, double from, double step) {
            if (step == 0) return;
            const double one = (low - from) / step, two = (high - from) / step;
            span.enter = std::max(span.enter, std::min(one, two));
            span.leave = std::min(span.leave, std::max(one, two));
        };
        pass(box.low.x, box.high.x, a.x, dx);
        pass(box.low.y, box.high.y, a.y, dy);
    } else {
        span.enter = span.leave = (std::abs(left->across) < std::abs(right->across) ? left : right)->along;
    }
    span.enter = std::clamp(span.enter, 0.0, length_m);
    span.leave = std::clamp(span.leave, span.enter, length_m);
    const double slope = (b.z - a.z) / length_m;
    // Where the ray is lowest it meets the top, where it is highest the bottom.
    const double top_along = slope > 0 ? span.enter : span.leave, bottom_along = slope > 0 ? span.leave : span.enter;
    const double top_m = box.high.z - (a.z + slope * top_along), bottom_m = box.low.z - (a.z + slope * bottom_along);
    const bool on_ground = box.low.z <= 0;
    const double height = taken(on_ground ? -1.0 : bottom_m, on_ground ? kNoWay : view.edge(bottom_along, bottom_m),
                                top_m, view.edge(top_along, top_m));
    const double passes = 1 - width * height;
    return std::min(kMostDiffractionDb, -20 * std::log10(std::max(passes, 1e-9)));
}

double diffraction_db(const std::vector<Box>& boxes, const Point& a, const Point& b, double wavelength_m) {
    double sum_db = 0;
    for (const Box& box : boxes) sum_db += diffraction_db(box, a, b, wavelength_m);
    return std::min(sum_db, kMostDiffractionDb);
}

}  // namespace mmwemu
