// A fuzzer's input as a source of values, and a check that aborts.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>

/// Abort if a condition is false, in every build.
#define REQUIRE(condition)                                                                    \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            std::cerr << __FILE__ << ":" << __LINE__ << ": not true: " << #condition << "\n"; \
            std::abort();                                                                     \
        }                                                                                     \
    } while (false)

/// Takes values off the front of some bytes; all 0 once they are used up.
class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

    bool empty() const { return rest_.empty(); }

    template <typename Value>
    Value take() {
        Value value{};
        const auto part = take_part(sizeof value);
        std::ranges::copy(part, reinterpret_cast<std::uint8_t*>(&value));
        return value;
    }

    /// Take a number below `end`.
    std::uint32_t below(std::uint32_t end) { return take<std::uint16_t>() % end; }

    std::span<const std::uint8_t> take_part(std::size_t size) {
        const auto part = rest_.first(std::min(size, rest_.size()));
        rest_ = rest_.subspan(part.size());
        return part;
    }

  private:
    std::span<const std::uint8_t> rest_;
};
