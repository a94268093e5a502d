// SPDX-License-Identifier: GPL-2.0-only
// Shadowing that is correlated along the route.

#pragma once

#include <functional>
#include <optional>

#include "core/config.h"
#include "core/geometry.h"

namespace mmwemu {

/// A draw from the standard normal distribution.
using Normal = std::function<double()>;

/// Standard deviation and decorrelation distance of shadowing.
struct ShadowingSize {
    double sigma_db = 0, decorrelation_m = 1;
};

/// TR 38.901, tables 7.4.1-1 and 7.5-6; for akdeniz the sigma of Akdeniz et al. 2014, table I (28 GHz), and the
/// distance of the street canyon.
ShadowingSize shadowing_size(PathLoss model, bool los);

/// A Gaussian process in dB, with an autocorrelation that falls exponentially with the distance moved.
class Shadowing {
  public:
    Shadowing(ShadowingSize size, Normal normal) : size_(size), normal_(std::move(normal)) {}

    /// The loss at `place`, dB; the first is drawn from the stationary distribution.
    double at(const Point& place);

  private:
    ShadowingSize size_;
    Normal normal_;
    std::optional<Point> place_;
    double state_ = 0;  // standard deviation 1
};

}  // namespace mmwemu
