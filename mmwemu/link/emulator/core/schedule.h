// The pattern of one direction: steps of rate, delay and impairments, and look-up by time.

#pragma once

#include <cstddef>
#include <vector>

#include "core/time.h"

namespace mmwemu {

enum class End { loop, hold, stop };
enum class Outage { hold, drop };

/// Impairments after the bottleneck beside delay and plain loss; all 0: none.
struct Effects {
    Time jitter = 0;         ///< the delay is uniform from delay - jitter to delay + jitter
    double duplication = 0;  ///< probability that a packet is delivered twice
    double bit_error = 0;    ///< probability that a bit is wrong
    double reordering = 0;   ///< probability that a packet skips the delay
    double gilbert_p = 0;    ///< probability at each packet to leave the good state (Gilbert 1960; netem: p)
    double gilbert_r = 0;    ///< probability at each packet to leave the bad state (netem: r)
    double loss_bad = 0;     ///< probability of loss in the bad state (Elliott 1963; netem: 1-h)

    bool operator==(const Effects&) const = default;
};

/// The behaviour of one direction from `start` on.
struct Step {
    Time start = 0;
    double rate_bps = 0;  ///< 0 is an outage, infinity is unlimited
    Time delay = 0;
    double loss = 0;
    Effects effects = {};
};

/// The span of time in which one step holds, on the clock of the look-up, and the step's values.
struct Span {
    Time start = 0;
    Time end = 0;
    double rate_bps = 0;
    Time delay = 0;
    double loss = 0;
    Effects effects = {};
};

/// One direction of a pattern: steps over [0, duration), then a loop, the last step or a stop.
class Schedule {
  public:
    /// The first step starts at 0, starts rise strictly and stay below `duration`; throws std::invalid_argument.
    Schedule(std::vector<Step> steps, Time duration, End end);

    /// The span that holds `time` (0 or more); `hint` is the step of an earlier look-up and is updated.
    Span at(Time time, std::size_t& hint) const;

  private:
    std::vector<Step> steps_;
    Time duration_;
    End end_;
};

/// Looks up a schedule that has begun; cheap while times rise.
class Cursor {
  public:
    /// `origin` is the schedule's time 0 on the caller's clock.
    Cursor(const Schedule& schedule, Time origin) : schedule_(&schedule), origin_(origin) {}

    /// The span that holds `now`, with start and end on the caller's clock.
    const Span& at(Time now);

  private:
    const Schedule* schedule_;
    Time origin_;
    std::size_t hint_ = 0;
    Span span_{};  // start == end: no look-up yet
};

}  // namespace mmwemu
