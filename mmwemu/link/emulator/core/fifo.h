#pragma once

#include "core/line.h"
#include "core/queue.h"

namespace mmwemu {

/// First in, first out. When it is full, what comes is dropped (drop-tail) or what has waited longest (drop-head).
class Fifo : public Queue {
  public:
    using Queue::Queue;
    void push(Time now, Item item) override;
    bool pop(Time now, bool whole, Item& item) override;
    bool empty() const override { return line_.empty(); }

  protected:
    Line line_;
};

}  // namespace mmwemu
