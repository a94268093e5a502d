// SPDX-License-Identifier: GPL-2.0-only
// Diffraction of the direct ray at the edges of obstacles.

#pragma once

#include <vector>

#include "core/geometry.h"

namespace mmwemu {

/// Loss of the direct ray from `a` to `b` by a box, dB: the screen with four knife edges of TR 38.901, clause 7.6.4.2
/// (blockage model B), whose edges are those of the box as seen along the ray.
///
/// A box on the ground lets nothing through below. 6 dB at the edge itself; at most `kMostDiffractionDb`.
double diffraction_db(const Box& box, const Point& a, const Point& b, double wavelength_m);

/// The same, summed over the boxes.
double diffraction_db(const std::vector<Box>& boxes, const Point& a, const Point& b, double wavelength_m);

constexpr double kMostDiffractionDb = 100;

}  // namespace mmwemu
