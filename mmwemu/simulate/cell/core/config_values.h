// SPDX-License-Identifier: GPL-2.0-only
// The values of a record of the configuration: words that become numbers, choices and places, or are refused by
// std::invalid_argument.

#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core/config.h"

namespace mmwemu {

using Values = std::vector<std::string>;

[[noreturn]] inline void refuse(const std::string& problem) {
    throw std::invalid_argument(problem);
}

/// A number, finite and nothing else.
template <typename T>
T number(const std::string& text) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) refuse("'" + text + "' is not a number this record takes");
    if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(value)) refuse("'" + text + "' is not finite");
    }
    return value;
}

inline double real(const std::string& text, double low, double high) {
    const auto value = number<double>(text);
    if (value < low || value > high) {
        std::ostringstream message;
        message << text << " is not in " << low << " to " << high;
        refuse(message.str());
    }
    return value;
}

inline std::uint64_t whole(const std::string& text, std::uint64_t low, std::uint64_t high) {
    const auto value = number<std::uint64_t>(text);
    if (value < low || value > high) {
        refuse(text + " is not in " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value;
}

inline Time timer(const std::string& text) {
    return from_seconds(real(text, 1e-6, 10));
}

/// The size of a socket's buffer.
inline std::uint32_t buffer(const std::string& text) {
    return static_cast<std::uint32_t>(whole(text, 2'000, 1'000'000'000));
}

/// What a word stands for.
template <typename T>
T choice(const std::string& text, const std::map<std::string, T>& values) {
    const auto found = values.find(text);
    if (found != values.end()) return found->second;
    std::string all;
    for (const auto& [name, value] : values) all += (all.empty() ? "" : ", ") + name;
    refuse("'" + text + "' is none of " + all);
}

inline Point point(const Values& v, std::size_t first) {
    constexpr double kFarM = 1e6;
    return {real(v[first], -kFarM, kFarM), real(v[first + 1], -kFarM, kFarM), real(v[first + 2], -kFarM, kFarM)};
}

inline Array array(const Values& v) {
    return {static_cast<std::uint32_t>(whole(v[0], 1, 32)), static_cast<std::uint32_t>(whole(v[1], 1, 32))};
}

}  // namespace mmwemu
