// SPDX-License-Identifier: GPL-2.0-only
// The search for the best pair of beams.

#pragma once

#include <vector>

#include "core/fading.h"
#include "core/shadowing.h"

namespace mmwemu {

/// A beam of each codebook, by its number.
struct BeamChoice {
    std::size_t base = 0, ue = 0;
};

/// Measure all pairs of beams, each with an error of `error_db` (standard deviation), and return the one that seems
/// best.
BeamChoice search_codebooks(const std::vector<Fading::Wave>& waves, const PlanarArray& base, const PlanarArray& ue,
                            double error_db, const Normal& normal);

}  // namespace mmwemu
