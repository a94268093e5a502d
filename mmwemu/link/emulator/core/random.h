// Random numbers and seeds that are the same on every machine.

#pragma once

#include <cstdint>
#include <random>

namespace mmwemu {

/// Spread the bits of a number (the finaliser of SplitMix64, Steele et al. 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// Derive a seed for one of several purposes.
constexpr std::uint64_t seed_of(std::uint64_t seed, std::uint64_t purpose) {
    return mix(seed + purpose * 0x9e3779b97f4a7c15);
}

/// Draw a number in [0, 1), the same on every machine.
inline double uniform(std::mt19937_64& random) {
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace mmwemu
