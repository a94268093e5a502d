#include "core/fifo.h"

#include <utility>

namespace mmwemu {

void Fifo::push(Time now, Item item) {
    if (settings_.discipline == Discipline::drop_head) {
        hold(item);
        items_.push_back(std::move(item));
        while (over_limit() && !items_.empty()) {
            drop(now, Drop::queue, take_from(items_.front(), false));
            if (items_.front().count() == 0) items_.pop_front();
        }
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
    items_.push_back(std::move(item));
}

bool Fifo::pop(Time, bool whole, Item& item) {
    if (items_.empty()) return false;
    item = take_from(items_.front(), whole);
    if (items_.front().count() == 0) items_.pop_front();
    return true;
}

}  // namespace mmwemu
