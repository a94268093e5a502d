#include "core/codel.h"

#include <cmath>

namespace mmwemu {

Time CodelQueue::control_law(Time time) const {
    return time + static_cast<Time>(static_cast<double>(kInterval) / std::sqrt(count_));
}

bool CodelQueue::take(Time now, bool whole, Item& item) {
    may_drop_ = false;
    if (empty()) {
        first_above_ = kNever;
        return false;
    }
    const bool short_wait = now - oldest() < kTarget;
    Fifo::pop(now, whole && short_wait, item);
    if (short_wait || held().bytes - item.bytes() <= kMaxPacketBytes) {
        first_above_ = kNever;
    } else if (first_above_ == kNever) {
        first_above_ = now + kInterval;
    } else {
        may_drop_ = now >= first_above_;
    }
    return true;
}

bool CodelQueue::mark_or_drop(Time now, Item& item) {
    if (mark(now, item)) return true;
    drop(now, Drop::aqm, item);
    return false;
}

bool CodelQueue::pop(Time now, bool whole, Item& item) {
    bool found = take(now, whole, item);
    if (dropping_) {
        if (!may_drop_) dropping_ = false;
        while (dropping_ && now >= drop_next_) {
            ++count_;
            if (mark_or_drop(now, item)) {
                drop_next_ = control_law(drop_next_);
                return true;
            }
            found = take(now, whole, item);
            if (may_drop_) {
                drop_next_ = control_law(drop_next_);
            } else {
                dropping_ = false;
            }
        }
    } else if (may_drop_) {
        if (!mark_or_drop(now, item)) found = take(now, whole, item);
        dropping_ = true;
        const std::uint32_t since = count_ - last_count_;
        count_ = since > 1 && now - drop_next_ < 16 * kInterval ? since : 1;
        drop_next_ = control_law(now);
        last_count_ = count_;
    }
    return found;
}

}  // namespace mmwemu
