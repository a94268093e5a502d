#include "core/fifo.h"

#include <utility>

namespace mmwemu {

void FifoQueue::push(Time now, Item item) {
    if (settings_.aqm == Aqm::drop_head) {
        hold(item);
        items_.push(std::move(item));
        while (over_limit() && !items_.empty()) drop(now, Drop::queue, items_.pop(false));
        return;
    }
    const std::uint32_t fits = fitting(item);
    if (fits < item.count()) {
        Item rest = item;
        rest.first += fits;
        refuse(now, Drop::queue, rest);
        if (fits == 0) return;
        item.end = item.first + fits;
    }
    hold(item);
    items_.push(std::move(item));
}

bool FifoQueue::pop(Time, bool whole, Item& item) {
    if (items_.empty()) return false;
    item = items_.pop(whole);
    return true;
}

}  // namespace mmwemu
