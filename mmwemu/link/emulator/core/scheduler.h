// Which client of a cell gets the next slot.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/time.h"

namespace mmwemu {

enum class Policy {
    round_robin,        ///< equal airtime
    proportional_fair,  ///< the highest ratio of possible rate to mean rate (Jalali et al. 2000)
    max_rate,           ///< the highest possible rate
};

/// A client that has something to send, and the rate that it would have now; above 0.
struct Candidate {
    std::uint32_t client = 0;
    double rate_bps = 0;
};

/// Chooses clients. Reads no clock; times must not fall.
class Scheduler {
  public:
    static constexpr Time kFairOver = 100'000'000;  ///< time constant of the mean rate, as in mmwemu-cell

    Scheduler(Policy policy, std::size_t clients, Time slot)
        : policy_(policy), slot_(slot), credit_(clients), mean_bps_(clients) {}

    /// The client that gets what is left of the slot at `now`; of `candidates`, which rise by client and are not empty.
    std::uint32_t choose(Time now, std::span<const Candidate> candidates);

    /// A client has used airtime that ended at `now` and sent `bits`.
    void used(Time now, std::uint32_t client, Time airtime, double bits);

    /// A client has nothing to send any more.
    void idle(std::uint32_t client);

  private:
    std::uint32_t take_turns(std::span<const Candidate> candidates);
    std::uint32_t fairest(Time now, std::span<const Candidate> candidates) const;
    std::uint32_t fastest(std::span<const Candidate> candidates) const;
    void rebase(Time now);
    double growth(Time now) const;

    Policy policy_;
    Time slot_;
    std::uint32_t turn_ = UINT32_MAX;  // the client that was chosen last; at first none
    std::vector<Time> credit_;         // airtime that a client has left of its turn; below 0: owes
    std::vector<double> mean_bps_;     // mean rates, times growth(): so those of idle clients need no update
    Time base_ = 0;                    // when growth() is 1
};

}  // namespace mmwemu
