#include "core/codel.h"

#include <cmath>

namespace mmwemu {

Time Codel::control_law(Time time) const {
    return time + static_cast<Time>(static_cast<double>(kInterval) / std::sqrt(count_));
}

bool Codel::take(ItemFifo& items, Time now, bool whole, Item& item) {
    may_drop_ = false;
    if (items.empty()) {
        first_above_ = kNever;
        return false;
    }
    const bool short_wait = now - items.oldest() < kTarget;
    item = items.pop(whole && short_wait);
    if (short_wait || items.bytes() <= kMaxPacketBytes) {
        first_above_ = kNever;
    } else if (first_above_ == kNever) {
        first_above_ = now + kInterval;
    } else {
        may_drop_ = now >= first_above_;
    }
    return true;
}

bool Codel::pop(ItemFifo& items, Time now, bool whole, const MarkOrDrop& mark_or_drop, Item& item) {
    bool found = take(items, now, whole, item);
    if (dropping_) {
        if (!may_drop_) dropping_ = false;
        while (dropping_ && now >= drop_next_) {
            ++count_;
            if (mark_or_drop(item)) {
                drop_next_ = control_law(drop_next_);
                return true;
            }
            found = take(items, now, whole, item);
            if (may_drop_) {
                drop_next_ = control_law(drop_next_);
            } else {
                dropping_ = false;
            }
        }
    } else if (may_drop_) {
        if (!mark_or_drop(item)) found = take(items, now, whole, item);
        dropping_ = true;
        const std::uint32_t since = count_ - last_count_;
        count_ = since > 1 && now - drop_next_ < 16 * kInterval ? since : 1;
        drop_next_ = control_law(now);
        last_count_ = count_;
    }
    return found;
}

bool CodelQueue::pop(Time now, bool whole, Item& item) {
    return codel_.pop(items_, now, whole, [this, now](Item& doomed) { return mark_or_drop(now, doomed); }, item);
}

}  // namespace mmwemu
