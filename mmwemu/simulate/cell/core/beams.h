// SPDX-License-Identifier: GPL-2.0-only
// Antenna arrays, beams, and the gain of rays through them.

#pragma once

#include <complex>
#include <span>
#include <vector>

#include "core/config.h"
#include "core/rays.h"

namespace mmwemu {

using Complex = std::complex<double>;
using Weights = std::vector<Complex>;

/// Phases of a plane wave from or to `direction` at the elements of an array, row by row.
///
/// The array stands upright across the x axis, columns along the y axis and rows along the z axis, half a wavelength
/// apart, of isotropic elements.
Weights array_response(const Array& array, const Point& direction);

/// Weights of unit power at both ends.
struct Beams {
    Weights gnb, ue;
};

/// Beams along the strongest ray: the elements add up in phase there. Without rays, beams along the x axis.
Beams dft_beams(std::span<const Ray> rays, const Array& gnb, const Array& ue);

/// Beams that receive the most power summed over the rays, as if those of different delays did not interfere: in turns
/// the principal eigenvectors of the covariances at both ends, from the DFT beams.
Beams svd_beams(std::span<const Ray> rays, const Array& gnb, const Array& ue);

/// Received over transmitted power in each of `gain.size()` bands of equal width around the carrier.
void band_gain(std::span<const Ray> rays, const Array& gnb, const Array& ue, const Beams& beams, double bandwidth_hz,
               std::span<double> gain);

}  // namespace mmwemu
