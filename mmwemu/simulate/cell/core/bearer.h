// SPDX-License-Identifier: GPL-2.0-only
// The bearer of one UE, with its record.

#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>

#include "core/direction.h"
#include "core/possible.h"
#include "core/recorder.h"

namespace mmwemu {

/// Receives each packet that arrived over the radio link at `now`, in order.
using Deliver = std::function<void(Time now, const Sdu& packet)>;

/// One UE's bearer: its downlink, its uplink if the cell has one, and what the trace says about them.
///
/// Without an uplink the reports of RLC take a fixed time and no symbols.
class Bearer {
  public:
    struct Ends {
        Deliver to_ue, to_base_station;
    };

    Bearer(const Config& config, const Frame& frame, const LinkModel& link, Luck downlink_luck, Luck uplink_luck,
           Recorder& recorder, Ends ends);

    /// Queue a packet at the base station; false if the buffer has no room: then it is dropped and counted.
    bool push_down(Time now, const Sdu& packet);

    /// Queue a packet at the UE, in a cell with an uplink; false if the buffer has no room.
    bool push_up(const Sdu& packet) { return uplink_->push(packet); }

    /// Take the path gain from `now` on, linear, by band; nothing can be sent while beams are `searching`.
    void measure(Time now, std::span<const double> gain, bool searching = false);

    /// Take the reports that have arrived by `now`.
    void begin_slot(Time now);

    Demand downlink_demand(Time now) { return searching_ ? Demand{} : downlink_.demand(now); }

    /// New data at the UE counts from when the scheduler knows of it.
    Demand uplink_demand(Time now);

    /// Use the symbols granted in the slot at `now`.
    void end_slot(Time now, const Grant& downlink, const Grant& uplink);

    std::uint64_t queue_bytes() const { return downlink_.queue_bytes(); }

    /// The rate of the downlink with all slots, whatever there is to send, bit/s.
    double possible_bps() const { return searching_ ? 0 : downlink_.possible_bits() / to_seconds(slot_); }

  private:
    struct Sent {
        int mcs = 0;
        std::uint32_t symbols = 0, bytes = 0;  // bytes received
    };
    struct StatusReport {
        Time due;
        Status status;
    };

    Sent send(Time now, Direction& direction, const Grant& grant, const Deliver& deliver,
              std::shared_ptr<const Status>& status);
    void count(Time now, const Sent& down, const Sent& up);
    void make_status(Time now);

    Recorder& recorder_;
    Ends ends_;
    Time slot_;
    std::uint32_t slot_symbols_;
    double uplink_share_;
    bool searching_ = false;
    Direction downlink_;
    std::optional<Direction> uplink_;
    Shortfall downlink_short_, uplink_short_;
    std::optional<Time> requested_;            // when the UE asked for its next uplink grant
    std::deque<StatusReport> status_reports_;  // on their way without an uplink
};

}  // namespace mmwemu
