#include "core/fq_codel.h"

#include <utility>

#include "core/flow.h"

namespace mmwemu {

void FqCodelQueue::push(Time now, Item item) {
    Flow& flow = flows_[flow_hash(*item.packet, settings_.seed) % kFlows];
    if (!flow.listed) {
        flow.listed = true;
        flow.credit_bytes = kQuantumBytes;
        new_.push_back(&flow);
    }
    hold(item);
    waiting_bytes_ += item.bytes();
    flow.items.push(std::move(item));
    while (over_limit() && !empty()) drop_from_longest(now);
}

void FqCodelQueue::drop_from_longest(Time now) {
    Flow* longest = nullptr;
    for (const auto* list : {&new_, &old_}) {
        for (Flow* flow : *list) {
            if (longest == nullptr || flow->items.bytes() > longest->items.bytes()) longest = flow;
        }
    }
    const std::uint64_t half_bytes = longest->items.bytes() / 2;
    for (int i = 0; i < kDropBatch && longest->items.bytes() > half_bytes; ++i) {
        const Item item = longest->items.pop(false);
        waiting_bytes_ -= item.bytes();
        drop(now, Drop::queue, item);
    }
}

bool FqCodelQueue::pop(Time now, bool whole, Item& item) {
    while (!new_.empty() || !old_.empty()) {
        std::deque<Flow*>& list = new_.empty() ? old_ : new_;
        Flow& flow = *list.front();
        if (flow.credit_bytes <= 0) {
            flow.credit_bytes += kQuantumBytes;
            list.pop_front();
            old_.push_back(&flow);
            continue;
        }
        const std::uint64_t before_bytes = flow.items.bytes();
        const bool found = flow.codel.pop(
            flow.items, now, whole, [this, now](Item& doomed) { return mark_or_drop(now, doomed); }, item);
        waiting_bytes_ -= before_bytes - flow.items.bytes();
        if (found) {
            flow.credit_bytes -= item.bytes();
            return true;
        }
        // A new flow that runs empty moves to the old ones; otherwise it could return as new and starve them.
        if (&list == &new_) {
            old_.push_back(&flow);
        } else {
            flow.listed = false;
        }
        list.pop_front();
    }
    return false;
}

}  // namespace mmwemu
