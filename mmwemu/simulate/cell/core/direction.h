// SPDX-License-Identifier: GPL-2.0-only
// One direction of a UE's bearer: RLC, link adaptation and HARQ over one channel.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/frame.h"
#include "core/harq.h"
#include "core/link_model.h"
#include "core/rlc.h"
#include "core/scheduler.h"

namespace mmwemu {

/// Draws from 0 to 1, which decide about the errors of transport blocks.
using Luck = std::function<double()>;

/// From a measurement to the use of its report, and from a UE's request to its first grant, in slots.
constexpr std::int64_t kReportSlots = 2;

/// What became of a transport block.
struct Outcome {
    int mcs = 0;
    std::uint32_t symbols = 0;
    std::uint32_t bytes = 0;  // received; 0 if the block failed
    std::vector<Sdu> delivered;
    std::shared_ptr<const Status> status;  // about the other direction, if any
};

/// The way of packets from one end of the radio link to the other, slot by slot.
class Direction {
  public:
    /// `sinr_of_unit_gain` has the power and the noise of this direction's ends.
    Direction(const Config& config, const Frame& frame, const LinkModel& link, double sinr_of_unit_gain, Luck luck);

    /// Queue a packet at the sending end; false if the buffer has no room.
    bool push(const Sdu& packet) { return sender_->push(packet); }

    /// Take the path gain from now on, linear, by band; returns the mean SINR, dB.
    double measure(std::span<const double> gain);

    /// Take the channel quality reports that have reached the scheduler by `now`.
    void take_reports(Time now);

    /// Let the sending end carry this status of the other direction's receiver with its next block.
    void carry(Status status) { carried_ = std::move(status); }

    /// Tell the sending end what the receiving end reports.
    void acknowledge(Time now, const Status& status) { sender_->on_status(now, status); }

    /// Packets that the receiving end delivers at `now` because it no longer waits for one before them.
    std::vector<Sdu> overdue(Time now) {
        std::vector<Sdu> delivered;
        receiver_->give_up(now, delivered);
        return delivered;
    }

    /// The status PDU that the receiving end makes at `now`, if one is due.
    std::optional<Status> status(Time now) { return receiver_->status(now); }

    /// Symbols wanted in the slot at `now`.
    Demand demand(Time now);

    /// Send the block again that is due in the slot at `now`.
    Outcome send_again(Time now);

    /// Send a block of new data, of this many symbols, in the slot at `now`.
    Outcome send(Time now, std::uint32_t symbols);

    /// Bits that a slot can be expected to carry, whatever there is to send.
    double possible_bits() const;

    std::uint64_t queue_bytes() const { return sender_->queue_bytes(); }

  private:
    static constexpr int kOutOfRange = -1;
    struct CqiReport {
        Time due;
        int mcs;  // kOutOfRange if no block can be received
    };

    std::uint32_t wanted_symbols(Time now);
    Outcome attempt(Time now, TransportBlock block);

    const Frame& frame_;
    const LinkModel& link_;
    double sinr_of_unit_gain_;
    bool flexible_;
    Luck luck_;
    std::unique_ptr<RlcSender> sender_;
    std::unique_ptr<RlcReceiver> receiver_;
    Harq harq_;
    std::vector<double> sinr_;  // linear, by band
    EffectiveSinr effective_db_{};
    int mcs_ = kOutOfRange;  // by the last CQI that has reached the scheduler
    Time cqi_due_ = 0;
    std::deque<CqiReport> cqi_reports_;
    std::optional<Status> carried_;
};

}  // namespace mmwemu
