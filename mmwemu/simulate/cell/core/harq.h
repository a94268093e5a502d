// SPDX-License-Identifier: GPL-2.0-only
// HARQ retransmission of transport blocks.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/rlc.h"

namespace mmwemu {

/// A transport block, with the SINR that the receiver has combined so far.
struct TransportBlock {
    int mcs = 0;
    std::uint32_t bytes = 0;
    std::vector<Pdu> pdus;
    int attempts = 0;
    double combined_sinr = 0;  // linear, sum over the attempts
    std::uint32_t symbols = 0;
    std::shared_ptr<const Status> status;  // about the other direction, if any
};

/// Asynchronous HARQ: a block that failed is sent again some slots later, with the same MCS and size.
class Harq {
  public:
    static constexpr std::int64_t kRoundTripSlots = 4;
    static constexpr int kMaxAttempts = 4;

    explicit Harq(bool enabled) : attempts_(enabled ? kMaxAttempts : 1) {}

    /// Symbols of the block to send again in this slot, 0 if there is none.
    std::uint32_t due_symbols(std::int64_t slot) const {
        return waiting_.empty() || waiting_.front().slot > slot ? 0 : waiting_.front().block.symbols;
    }

    /// The block to send again in this slot, if any.
    std::optional<TransportBlock> due(std::int64_t slot);

    /// Keep a block that failed in `slot` for another attempt; false if it has had all of them and is lost.
    bool failed(std::int64_t slot, TransportBlock block);

    int attempts() const { return attempts_; }

  private:
    struct Waiting {
        std::int64_t slot;
        TransportBlock block;
    };
    int attempts_;
    std::deque<Waiting> waiting_;
};

}  // namespace mmwemu
