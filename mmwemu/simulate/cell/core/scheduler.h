// SPDX-License-Identifier: GPL-2.0-only
// How UEs share the slots of a cell.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace mmwemu {

/// Decides whose slot the next one is.
class Scheduler {
  public:
    virtual ~Scheduler() = default;

    /// The UE that gets a slot, of those that want it; none if no UE does.
    virtual std::optional<std::size_t> pick(const std::vector<bool>& wants) = 0;
};

/// UEs that want slots take turns.
class RoundRobin : public Scheduler {
  public:
    std::optional<std::size_t> pick(const std::vector<bool>& wants) override {
        for (std::size_t step = 0; step < wants.size(); ++step) {
            const std::size_t ue = (next_ + step) % wants.size();
            if (!wants[ue]) continue;
            next_ = ue + 1;
            return ue;
        }
        return std::nullopt;
    }

  private:
    std::size_t next_ = 0;
};

}  // namespace mmwemu
