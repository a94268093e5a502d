// SPDX-License-Identifier: GPL-2.0-only
// What a direction could have had beside what it used.

#pragma once

#include <algorithm>
#include <utility>

namespace mmwemu {

/// Symbols by which a direction stays behind its share of the slots, counted once.
///
/// A direction that always has data gets its share over a few slots, not in each. So symbols above the share make up
/// for symbols below it, as far as one slot's.
class Shortfall {
  public:
    /// Add the symbols missing in a slot, negative if there were more than the share; returns those to count now.
    double add(double missing, double slot_symbols) {
        balance_ = std::max(balance_ + missing, -slot_symbols);
        return balance_ > 0 ? std::exchange(balance_, 0) : 0;
    }

  private:
    double balance_ = 0;
};

}  // namespace mmwemu
