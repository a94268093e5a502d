#pragma once

#include <cstddef>
#include <vector>

#include "core/time.h"

namespace mmwemu {

enum class End { loop, hold, stop };
enum class Outage { hold, drop };

/// What befalls packets behind the bottleneck beside delay and plain loss; all 0: nothing.
struct Effects {
    Time jitter = 0;         ///< the delay is uniform within this of itself
    double duplication = 0;  ///< probability that a packet comes twice
    double bit_error = 0;    ///< probability that a bit is wrong
    double reordering = 0;   ///< probability that a packet goes without the delay
    double gilbert_p = 0;    ///< probability of the good state's end at each packet (Gilbert 1960; netem: p)
    double gilbert_r = 0;    ///< of the bad state's end (netem: r)
    double loss_bad = 0;     ///< probability of loss in the bad state (Elliott 1963; netem: 1-h)

    bool operator==(const Effects&) const = default;
};

/// What one direction of the link does from `start` on.
struct Step {
    Time start = 0;
    double rate_bps = 0;  ///< 0 is an outage, infinity is unlimited
    Time delay = 0;
    double loss = 0;
    Effects effects = {};
};

/// A step with the end it has at the place in time where it was looked up.
struct Span {
    Time start = 0;
    Time end = 0;
    double rate_bps = 0;
    Time delay = 0;
    double loss = 0;
    Effects effects = {};
};

/// One direction of a pattern: steps over [0, duration), and what follows them.
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

/// A place in a schedule that has begun at an epoch; cheap while the times asked for rise.
class Cursor {
  public:
    /// `origin` is when, on the caller's clock, the schedule is at its time 0.
    Cursor(const Schedule& schedule, Time origin) : schedule_(&schedule), origin_(origin) {}

    /// The span that holds `now`, with start and end on the caller's clock.
    const Span& at(Time now);

  private:
    const Schedule* schedule_;
    Time origin_;
    std::size_t hint_ = 0;
    Span span_{};  // start == end: nothing looked up yet
};

}  // namespace mmwemu
