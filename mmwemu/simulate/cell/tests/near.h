// SPDX-License-Identifier: GPL-2.0-only
// A number with an absolute tolerance, for doctest's CHECK.

#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <ostream>

/// Equals every number within `tolerance` of `value`; CHECK(measured == Near(10, 0.5)). doctest::Approx is relative.
struct Near {
    template <typename Number>
    Near(Number number, double absolute) : value(static_cast<double>(number)), tolerance(absolute) {}

    double value, tolerance;
};

template <typename Number>
bool operator==(Number number, const Near& near) {
    return std::abs(static_cast<double>(number) - near.value) <= near.tolerance;
}

inline std::ostream& operator<<(std::ostream& out, const Near& near) {
    return out << near.value << " +- " << near.tolerance;
}
