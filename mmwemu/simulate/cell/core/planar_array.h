// SPDX-License-Identifier: GPL-2.0-only
// Rectangular antenna arrays: responses, beams, codebooks.

#pragma once

#include <complex>
#include <vector>

#include "core/config.h"
#include "core/geometry.h"

namespace mmwemu {

using Complex = std::complex<double>;
/// A weight for each element, row by row; a beam's squares add up to 1.
using Weights = std::vector<Complex>;

/// Isotropic elements, half a wavelength apart, in a plane that faces the x axis: columns along y, rows along z.
class PlanarArray {
  public:
    explicit PlanarArray(Array size) : size_(size) {}

    /// Amplitude gain of the array with these weights for a plane wave to or from `direction`, a unit vector.
    Complex response(const Weights& weights, const Point& direction) const;

    /// The beam with the highest gain in `direction`: its power there is the number of elements.
    Weights beam(const Point& direction) const;

    /// As many orthogonal beams as elements, the two-dimensional discrete Fourier transform.
    std::vector<Weights> codebook() const;

    /// The responses of the beams of the codebook, in its order.
    Weights codebook_responses(const Point& direction) const;

    std::size_t elements() const { return std::size_t{size_.rows} * size_.columns; }

    /// The phase factors of all elements for `direction`.
    Weights phases(const Point& direction) const;

  private:
    Weights grid(double along_y, double along_z) const;

    Array size_;
};

}  // namespace mmwemu
