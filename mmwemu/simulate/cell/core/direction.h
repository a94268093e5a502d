// SPDX-License-Identifier: GPL-2.0-only
// One direction of a UE's bearer: RLC, link adaptation and HARQ over one channel.

#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/frame.h"
#include "core/harq.h"
#include "core/link_model.h"
#include "core/rlc_am.h"

namespace mmwemu {

/// Draws from 0 to 1, which decide about the errors of transport blocks.
using Luck = std::function<double()>;

/// What became of a transport block.
struct Outcome {
    int mcs = 0;
    std::uint32_t bytes = 0;  // received; 0 if the block failed
    std::vector<Sdu> delivered;
};

/// The way of packets from one end of the radio link to the other, slot by slot.
class Direction {
  public:
    /// `sinr_of_unit_gain` has the power and the noise of this direction's ends.
    Direction(const Config& config, const Frame& frame, const LinkModel& link, double sinr_of_unit_gain, Luck luck);

    /// Queue a packet at the sending end; false if the buffer has no room.
    bool push(const Sdu& packet) { return sender_.push(packet); }

    /// Take the path gain from now on, linear, by band; returns the mean SINR, dB.
    double measure(std::span<const double> gain);

    /// Take the reports that have reached the sending end by `now`.
    void take_reports(Time now);

    /// Whether the slot at `now` would carry anything.
    bool has_block(Time now);

    /// Send the block of the slot at `now`: a retransmission that is due, or else new data.
    Outcome transmit(Time now);

    /// Bits that the slot could be expected to carry, whatever there is to send.
    double possible_bits() const;

    /// Let the receiving end make its status PDU at the end of the slot at `now`.
    void end_slot(Time now);

    std::uint64_t queue_bytes() const { return sender_.queue_bytes(); }

  private:
    static constexpr int kOutOfRange = -1;
    struct CqiReport {
        Time due;
        int mcs;  // kOutOfRange if no block can be received
    };
    struct StatusReport {
        Time due;
        Status status;
    };

    const Frame& frame_;
    const LinkModel& link_;
    double sinr_of_unit_gain_;
    Luck luck_;
    RlcSender sender_;
    RlcReceiver receiver_;
    Harq harq_;
    std::vector<double> sinr_;  // linear, by band
    EffectiveSinr effective_db_{};
    int mcs_ = kOutOfRange;  // by the last CQI that has reached the sender
    Time cqi_due_ = 0;
    std::deque<CqiReport> cqi_reports_;
    std::deque<StatusReport> status_reports_;
};

}  // namespace mmwemu
