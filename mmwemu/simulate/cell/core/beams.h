// SPDX-License-Identifier: GPL-2.0-only
// Beams for rays, and the gain of rays through them.

#pragma once

#include <span>

#include "core/planar_array.h"
#include "core/rays.h"

namespace mmwemu {

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
