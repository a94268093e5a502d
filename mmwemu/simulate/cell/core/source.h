// SPDX-License-Identifier: GPL-2.0-only
// The UDP source at the remote host.

#pragma once

#include <cmath>
#include <cstdint>

#include "core/time.h"

namespace mmwemu {

constexpr std::uint32_t kHeaderBytes = 28;  // IPv4 and UDP

/// One packet on its way through RLC.
struct Sdu {
    std::uint64_t id = 0;
    std::uint32_t bytes = 0;
    Time born = 0;  // when the remote host sent it
};

/// UDP at a constant rate, `rate_bps` in transport payload; packet k leaves the remote host at start + k intervals.
class CbrSource {
  public:
    CbrSource(double rate_bps, std::uint32_t payload_bytes, Time start, Time core_delay)
        : interval_ns_(payload_bytes * 8e9 / rate_bps),
          bytes_(payload_bytes + kHeaderBytes),
          start_(start),
          core_delay_(core_delay) {}

    /// Take the next packet if it is at the base station by `now`.
    bool take(Time now, Sdu& packet) {
        const Time born = start_ + static_cast<Time>(std::llround(static_cast<double>(next_) * interval_ns_));
        if (born + core_delay_ > now) return false;
        packet = {next_++, bytes_, born};
        return true;
    }

  private:
    double interval_ns_;
    std::uint32_t bytes_;
    Time start_, core_delay_;
    std::uint64_t next_ = 0;
};

}  // namespace mmwemu
