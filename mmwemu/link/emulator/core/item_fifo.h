// A first-in-first-out list of queue items, without any limit or AQM.

#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "core/queue.h"

namespace mmwemu {

/// Items in the order of their arrival.
class ItemFifo {
  public:
    void push(Item item) {
        bytes_ += item.bytes();
        items_.push_back(std::move(item));
    }
    /// Take the first segment, or all that came with it; there must be one.
    Item pop(bool whole) {
        Item item = take_from(items_.front(), whole);
        if (items_.front().count() == 0) items_.pop_front();
        bytes_ -= item.bytes();
        return item;
    }
    bool empty() const { return items_.empty(); }
    std::uint64_t bytes() const { return bytes_; }
    /// When the first segment arrived.
    Time oldest() const { return items_.front().arrival; }

  private:
    std::deque<Item> items_;
    std::uint64_t bytes_ = 0;
};

}  // namespace mmwemu
