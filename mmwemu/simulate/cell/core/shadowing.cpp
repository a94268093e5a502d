// SPDX-License-Identifier: GPL-2.0-only
#include "core/shadowing.h"

#include <cmath>

namespace mmwemu {

ShadowingSize shadowing_size(PathLoss model, bool los) {
    switch (model) {
        case PathLoss::kUmiStreetCanyon:
            return los ? ShadowingSize{4, 10} : ShadowingSize{7.82, 13};
        case PathLoss::kUma:
            return los ? ShadowingSize{4, 37} : ShadowingSize{6, 50};
        case PathLoss::kAkdeniz:
            break;
    }
    return los ? ShadowingSize{5.8, 10} : ShadowingSize{8.7, 13};
}

double Shadowing::at(const Point& place) {
    const double moved_m = place_ ? distance_m(*place_, place) : 0;
    if (!place_) {
        state_ = normal_();
    } else if (moved_m > 0) {
        const double kept = std::exp(-moved_m / size_.decorrelation_m);
        state_ = kept * state_ + std::sqrt(1 - kept * kept) * normal_();
    }
    place_ = place;
    return size_.sigma_db * state_;
}

}  // namespace mmwemu
