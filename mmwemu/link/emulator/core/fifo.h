// The plain FIFO queue, with drop-tail or drop-head.

#pragma once

#include "core/item_fifo.h"
#include "core/queue.h"

namespace mmwemu {

/// First in, first out. When full, it drops arriving packets (drop-tail) or those queued longest (drop-head).
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
