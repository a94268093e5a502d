// SPDX-License-Identifier: GPL-2.0-only
// How UEs share the symbols of a slot.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/config.h"

namespace mmwemu {

/// Symbols that a UE has use for in one direction of a slot.
struct Demand {
    std::uint32_t again = 0;  // for the retransmission that is due: all of them or none
    std::uint32_t fresh = 0;  // for new data
    double bits_per_symbol = 0;

    std::uint32_t symbols() const { return again + fresh; }
};

/// Symbols that a UE gets.
struct Grant {
    bool again = false;
    std::uint32_t fresh = 0;
};

/// Shares the symbols of one direction: retransmissions first, then new data, a unit of symbols at a time.
class Scheduler {
  public:
    virtual ~Scheduler() = default;

    /// Share `symbols` of a slot in units of `unit`, and return the number used; `demands` and `grants` are by UE.
    std::uint32_t share(std::uint32_t symbols, std::uint32_t unit, const std::vector<Demand>& demands,
                        std::vector<Grant>& grants);

  protected:
    /// The UE that gets the next unit, of those with `wanted` above 0, of which there is at least one.
    virtual std::size_t next(const std::vector<std::uint32_t>& wanted, const std::vector<Demand>& demands) = 0;

    /// A UE got symbols for `bits`.
    virtual void granted(std::size_t /*ue*/, double /*bits*/) {}

    /// The slot is shared out.
    virtual void end_slot() {}

  private:
    std::vector<std::uint32_t> wanted_;
    std::size_t first_ = 0;  // the UE whose retransmission comes first
};

/// UEs that have data take turns.
class RoundRobin : public Scheduler {
  protected:
    std::size_t next(const std::vector<std::uint32_t>& wanted, const std::vector<Demand>& demands) override;

  private:
    std::size_t turn_ = 0;
};

/// The UE with the highest ratio of possible rate to mean rate (Jalali et al. 2000), the mean over `mean_slots`.
class ProportionalFair : public Scheduler {
  public:
    ProportionalFair(std::size_t ues, double mean_slots) : slot_bits_(ues), mean_bits_(ues), weight_(1 / mean_slots) {}

  protected:
    std::size_t next(const std::vector<std::uint32_t>& wanted, const std::vector<Demand>& demands) override;
    void granted(std::size_t ue, double bits) override { slot_bits_[ue] += bits; }
    void end_slot() override;

  private:
    std::vector<double> slot_bits_, mean_bits_;
    double weight_;
};

/// The scheduler of one direction for `ues` UEs.
std::unique_ptr<Scheduler> make_scheduler(SchedulerKind kind, std::size_t ues, Time slot);

}  // namespace mmwemu
