#pragma once

#include <deque>

#include "core/queue.h"

namespace mmwemu {

/// First in, first out. When it is full, what comes is dropped (drop-tail) or what has waited longest (drop-head).
class Fifo : public Queue {
  public:
    using Queue::Queue;
    void push(Time now, Item item) override;
    bool pop(Time now, bool whole, Item& item) override;
    bool empty() const override { return items_.empty(); }

  protected:
    /// When the oldest came.
    Time oldest() const { return items_.front().arrival; }

  private:
    std::deque<Item> items_;
};

}  // namespace mmwemu
