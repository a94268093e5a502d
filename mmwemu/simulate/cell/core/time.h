// SPDX-License-Identifier: GPL-2.0-only
// Simulated time and its units.

#pragma once

#include <cmath>
#include <cstdint>

namespace mmwemu {

/// Simulated time in nanoseconds.
using Time = std::int64_t;

constexpr Time kMicrosecond = 1'000;
constexpr Time kMillisecond = 1'000'000;
constexpr Time kSecond = 1'000'000'000;

inline Time from_seconds(double time_s) {
    return static_cast<Time>(std::llround(time_s * 1e9));
}

constexpr double to_seconds(Time time) {
    return static_cast<double>(time) / 1e9;  // rounds to the nearest double; * 1e-9 would not
}

}  // namespace mmwemu
