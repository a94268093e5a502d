#pragma once

#include "core/item_fifo.h"
#include "core/queue.h"

namespace mmwemu {

/// First in, first out. When it is full, what comes is dropped (drop-tail) or what has waited longest (drop-head).
class FifoQueue : public Queue {
  public:
    using Queue::Queue;
    void push(Time now, Item item) override;
    bool pop(Time now, bool whole, Item& item) override;
    bool empty() const override { return items_.empty(); }

  protected:
    ItemFifo items_;
};

}  // namespace mmwemu
