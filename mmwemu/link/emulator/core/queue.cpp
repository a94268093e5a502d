#include "core/queue.h"

#include <algorithm>

#include "core/alter.h"
#include "core/codel.h"
#include "core/fifo.h"
#include "core/fq_codel.h"
#include "core/pie.h"

namespace mmwemu {

std::uint32_t Queue::fitting(const Item& item) const {
    std::uint64_t count = item.count();
    const Limit& limit = settings_.limit;
    if (limit.packets > 0) count = std::min(count, limit.packets - std::min(limit.packets, held_.packets));
    if (limit.bytes > 0) {
        const std::uint64_t room = limit.bytes - std::min(limit.bytes, held_.bytes);
        if (item.packet->ip_bytes(item.first, static_cast<std::uint32_t>(count)) > room) {
            // All segments but the last have the full size.
            const std::uint64_t full = item.packet->header_bytes + item.packet->mss;
            count = item.count() == 1 ? 0 : std::min<std::uint64_t>(room / full, count - 1);
        }
    }
    return static_cast<std::uint32_t>(count);
}

bool Queue::over_limit() const {
    const Limit& limit = settings_.limit;
    return (limit.bytes > 0 && held_.bytes > limit.bytes) || (limit.packets > 0 && held_.packets > limit.packets);
}

void Queue::refuse(Time now, Drop cause, const Item& item) {
    if (bins_ == nullptr || item.count() == 0) return;
    const std::uint64_t number = item.number + item.first;
    bins_->dropped(now - epoch_, cause, {*item.packet, item.first, item.count(), number, item.arrival - epoch_});
}

bool Queue::mark(Time now, Item& item) {
    if (!settings_.ecn || !may_be_marked(*item.packet)) return false;
    item.packet = marked(item.packet, item.first);
    item.number += item.first;  // of the segment that is now the packet's first
    item.first = 0;
    item.end = 1;
    if (bins_ != nullptr) bins_->noted(now - epoch_, Note::marked, item.bytes(), 1);
    return true;
}

bool Queue::mark_or_drop(Time now, Item& item) {
    if (mark(now, item)) return true;
    drop(now, Drop::aqm, item);
    return false;
}

Item take_from(Item& item, bool whole) {
    Item taken = item;
    if (!whole) taken.end = taken.first + 1;
    item.first = taken.end;
    return taken;
}

std::unique_ptr<Queue> make_queue(const QueueSettings& settings, Bins* bins, Time epoch) {
    switch (settings.aqm) {
        case Aqm::codel:
            return std::make_unique<CodelQueue>(settings, bins, epoch);
        case Aqm::fq_codel:
            return std::make_unique<FqCodelQueue>(settings, bins, epoch);
        case Aqm::pie:
            return std::make_unique<PieQueue>(settings, bins, epoch);
        case Aqm::drop_tail:
        case Aqm::drop_head:
            break;
    }
    return std::make_unique<FifoQueue>(settings, bins, epoch);
}

}  // namespace mmwemu
