// Time in nanoseconds.

#pragma once

#include <cstdint>
#include <limits>

namespace mmwemu {

/// Nanoseconds of CLOCK_MONOTONIC or since a pattern began; code in core/ reads no clock.
using Time = std::int64_t;

inline constexpr Time kNever = std::numeric_limits<Time>::max();
inline constexpr Time kSecond = 1'000'000'000;

/// Add a delay to a time; kNever stays kNever.
constexpr Time later(Time time, Time delay) {
    return time > kNever - delay ? kNever : time + delay;
}

}  // namespace mmwemu
