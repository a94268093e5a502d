// SPDX-License-Identifier: GPL-2.0-only
// The bearer of one UE, with its record.

#pragma once

#include <functional>
#include <span>

#include "core/direction.h"
#include "core/recorder.h"

namespace mmwemu {

/// Receives each packet that arrived over the radio link at `now`, in order.
using Deliver = std::function<void(Time now, const Sdu& packet)>;

/// One UE's bearer: its downlink, and what the trace says about it.
class Bearer {
  public:
    Bearer(const Config& config, const Frame& frame, const LinkModel& link, Luck luck, Recorder& recorder,
           Deliver to_ue);

    /// Queue a packet at the base station; one for which the buffer has no room is dropped and counted.
    void push_down(Time now, const Sdu& packet);

    /// Take the path gain from `now` on, linear, by band.
    void measure(Time now, std::span<const double> gain);

    void begin_slot(Time now) { downlink_.take_reports(now); }

    /// Whether the UE has use for the slot at `now`.
    bool wants_slot(Time now) { return downlink_.has_block(now); }

    /// End the slot at `now`, which was this UE's if `granted`.
    void end_slot(Time now, bool granted);

    std::uint64_t queue_bytes() const { return downlink_.queue_bytes(); }

  private:
    void transmit(Time now);

    Recorder& recorder_;
    Deliver to_ue_;
    Time slot_;
    Direction downlink_;
};

}  // namespace mmwemu
