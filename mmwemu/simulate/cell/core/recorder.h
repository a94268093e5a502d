// SPDX-License-Identifier: GPL-2.0-only
// The trace of a run in bins of 1 ms, and its CSV file.

#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/sdu.h"
#include "core/time.h"

namespace mmwemu {

/// An output file cannot be written.
class WriteError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One row of the trace: a bin of 1 ms.
struct Bin {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    double los = kNone, sinr_db = kNone, mcs = kNone;
    double phy_bits = 0;
    double payload_bytes = 0;
    double uplink_phy_bits = 0, uplink_payload_bytes = 0;
    double queue_bytes = 0;
    double delay_sum_s = 0, ran_delay_sum_s = 0;
    std::uint32_t delivered = 0, drops = 0, rlc_losses = 0;
    double cwnd_bytes = kNone, ssthresh_bytes = kNone, rtt_s = kNone;
    std::uint32_t retransmissions = 0;
};

/// Columns that only some traces have.
enum class Extra { kRlc, kUplink, kSender };

/// Collects the trace, and writes it as CSV.
class Recorder {
  public:
    static constexpr Time kBin = kMillisecond;

    Recorder(std::size_t bins, std::set<Extra> extras) : bins_(bins), extras_(std::move(extras)) {}

    /// The bin of a time; times after the end share a bin that is not written.
    Bin& at(Time time) {
        const auto index = static_cast<std::size_t>(time / kBin);
        return index < bins_.size() ? bins_[index] : beyond_;
    }

    /// Count a packet that reached the UE at `now`.
    void delivered(Time now, const Sdu& packet);

    std::size_t size() const { return bins_.size(); }

    void write_csv(const std::string& path) const;

  private:
    std::vector<Bin> bins_;
    Bin beyond_;
    std::set<Extra> extras_;
};

/// Write a whole file; throws WriteError with the reason if it is not complete.
void write_file(const std::string& path, const std::string& content);

}  // namespace mmwemu
