// The AQM CoDel (RFC 8289) and a FIFO queue with it.

#pragma once

#include <cstdint>
#include <functional>

#include "core/fifo.h"
#include "core/item_fifo.h"

namespace mmwemu {

/// CoDel for one FIFO (RFC 8289, section 5): drops or marks packets at the head once the delay has been above 5 ms for
/// 100 ms, and then more and more often.
class Codel {
  public:
    static constexpr Time kTarget = 5'000'000;      ///< acceptable standing delay (RFC 8289, 4.4)
    static constexpr Time kInterval = 100'000'000;  ///< how long the delay may exceed the target (4.3)
    static constexpr std::uint64_t kMaxPacketBytes = 1500;

    /// Mark an item and return true, or drop it and return false.
    using MarkOrDrop = std::function<bool(Item&)>;

    /// Take the next item that may leave, as ItemFifo::pop() does; false if none is left.
    bool pop(ItemFifo& items, Time now, bool whole, const MarkOrDrop& mark_or_drop, Item& item);

  private:
    bool take(ItemFifo& items, Time now, bool whole, Item& item);
    Time control_law(Time time) const;

    Time first_above_ = kNever;  // when the delay will have exceeded the target for an interval
    bool may_drop_ = false;      // first_above_ had passed when the last segment came out
    bool dropping_ = false;
    Time drop_next_ = 0;
    std::uint32_t count_ = 0, last_count_ = 0;  // drops in this dropping state; at its start
};

/// A FIFO queue with CoDel. When it is full, it drops arriving packets.
class CodelQueue final : public FifoQueue {
  public:
    using FifoQueue::FifoQueue;
    bool pop(Time now, bool whole, Item& item) override;

  private:
    Codel codel_;
};

}  // namespace mmwemu
