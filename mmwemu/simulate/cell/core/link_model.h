// SPDX-License-Identifier: GPL-2.0-only
// The link model: from SINR to MCS and block error rate.

#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/frame.h"

namespace mmwemu {

constexpr int kModulations = 3;  // QPSK, 16-QAM, 64-QAM
/// The SINR with the same mean mutual information as the bands, by modulation, dB.
using EffectiveSinr = std::array<double, kModulations>;

/// Modulation of an MCS, 0 for QPSK (TS 36.213, table 7.1.7.1-1).
constexpr int modulation(int mcs) {
    return mcs < 10 ? 0 : mcs < 17 ? 1 : 2;
}

/// An error model over a grid of SINRs: mutual information by modulation, code block error rate by MCS.
struct LinkTables {
    static constexpr double kLowDb = -20, kStepDb = 0.1;
    static constexpr std::size_t kSize = 601;  // to 40 dB
    static constexpr double kCodeBlockBits = 6144;

    std::array<std::array<double, kSize>, kModulations> information{};
    std::array<std::array<double, kSize>, kMcsCount> code_block_error{};

    static double sinr_db(std::size_t index) { return kLowDb + kStepDb * static_cast<double>(index); }
};

/// From SINR to error rates and to the MCS for a frame.
class LinkModel {
  public:
    LinkModel(LinkTables tables, const Frame& frame);

    /// `sinr` is linear, one value a band of equal width.
    EffectiveSinr effective_db(std::span<const double> sinr) const;

    /// Error rate of a transport block of this size.
    double block_error(int mcs, double effective_db, std::uint32_t bytes) const;

    /// Error rate of a transport block that fills a slot.
    double block_error(int mcs, double effective_db) const;

    /// The highest MCS whose block error rate is at most 10 %; MCS 0 if none is.
    int choose_mcs(const EffectiveSinr& sinr_db) const;

    /// Whether `attempts` of MCS 0 combined have a block error rate of at most 10 %; below is CQI 0, out of range.
    bool in_range(const EffectiveSinr& sinr_db, int attempts) const;

  private:
    LinkTables tables_;
    std::array<std::uint32_t, kMcsCount> slot_bytes_{};
};

}  // namespace mmwemu
