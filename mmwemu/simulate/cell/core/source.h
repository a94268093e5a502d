// SPDX-License-Identifier: GPL-2.0-only
// The UDP source at the remote host.

#pragma once

#include <cmath>
#include <cstdint>

#include "core/sdu.h"
#include "core/time.h"

namespace mmwemu {

constexpr std::uint32_t kHeaderBytes = 28;  // IPv4 and UDP

/// UDP at a constant rate, `rate_bps` in transport payload; packet k leaves the remote host at start + k intervals.
class CbrSource {
  public:
    CbrSource(double rate_bps, std::uint32_t payload_bytes, Time start, Time core_delay)
        : interval_ns_(payload_bytes * 8e9 / rate_bps),
          payload_bytes_(payload_bytes),
          start_(start),
          core_delay_(core_delay) {}

    /// Take the next packet if it is at the base station by `now`.
    bool take(Time now, Sdu& packet) {
        const Time born = next_born();
        if (born + core_delay_ > now) return false;
        packet = {next_++, payload_bytes_ + kHeaderBytes, payload_bytes_, born, born + core_delay_};
        return true;
    }

    /// When the next packet leaves the remote host.
    Time next_born() const {
        return start_ + static_cast<Time>(std::llround(static_cast<double>(next_) * interval_ns_));
    }

  private:
    double interval_ns_;
    std::uint32_t payload_bytes_;
    Time start_, core_delay_;
    std::uint64_t next_ = 0;
};

}  // namespace mmwemu
