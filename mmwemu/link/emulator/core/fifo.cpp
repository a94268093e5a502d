#include "core/fifo.h"

#include <utility>

namespace mmwemu {

void Fifo::push(Time now, Item item) {
    if (settings_.discipline == Discipline::drop_head) {
        hold(item);
        line_.push(std::move(item));
        while (over_limit() && !line_.empty()) drop(now, Drop::queue, line_.pop(false));
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
    line_.push(std::move(item));
}

bool Fifo::pop(Time, bool whole, Item& item) {
    if (line_.empty()) return false;
    item = line_.pop(whole);
    return true;
}

}  // namespace mmwemu
