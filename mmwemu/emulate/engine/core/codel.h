#pragma once

#include <cstdint>

#include "core/fifo.h"

namespace mmwemu {

/// CoDel (RFC 8289, section 5): drops or marks what comes out when the delay has been above 5 ms for 100 ms, and then
/// sooner and sooner. A full queue drops what comes.
class CodelQueue final : public Fifo {
  public:
    static constexpr Time kTarget = 5'000'000;      ///< acceptable standing delay (RFC 8289, 4.4)
    static constexpr Time kInterval = 100'000'000;  ///< how long it may be exceeded (4.3)
    static constexpr std::uint64_t kMaxPacketBytes = 1500;

    using Fifo::Fifo;
    bool pop(Time now, bool whole, Item& item) override;

  private:
    bool take(Time now, bool whole, Item& item);
    bool mark_or_drop(Time now, Item& item);
    Time control_law(Time time) const;

    Time first_above_ = kNever;  // when the delay will have been above the target for an interval
    bool may_drop_ = false;      // it has, when the latest segment came out
    bool dropping_ = false;
    Time drop_next_ = 0;
    std::uint32_t count_ = 0, last_count_ = 0;  // drops in this dropping state; at its start
};

}  // namespace mmwemu
