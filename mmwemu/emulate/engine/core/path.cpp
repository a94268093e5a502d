#include "core/path.h"

#include <algorithm>
#include <utility>

namespace mmwemu {

void Path::begin(Time epoch) {
    epoch_ = epoch;
    bottleneck_.emplace(schedule_, epoch - settings_.start_at, settings_.queue_bytes, settings_.outage, &bins_, epoch);
}

void Path::push(Time now, PacketRef packet) {
    if (!bottleneck_) {
        line_up(now + settings_.core_delay, kNever, packet, 0, packet->segments);
    } else if (settings_.core_first) {
        before_.push_back({now + settings_.core_delay, std::move(packet)});
    } else {
        advance(now);
        bottleneck_->push(now, std::move(packet));
    }
}

void Path::advance(Time now) {
    if (!bottleneck_) return;
    Departure departure;
    auto depart_until = [&](Time time) {
        while (bottleneck_->pop(time, departure)) depart(departure);
    };
    while (!before_.empty() && before_.front().time <= now) {
        depart_until(before_.front().time);
        bottleneck_->push(before_.front().time, std::move(before_.front().packet));
        before_.pop_front();
    }
    depart_until(now);
    if (now >= epoch_) bins_.queue(now - epoch_, bottleneck_->queue_bytes());
}

void Path::depart(const Departure& departure) {
    const Segment& segment = bottleneck_->service_at(departure.time);
    Time due = later(departure.time, segment.delay);
    if (!settings_.core_first) due = later(due, settings_.core_delay);
    if (segment.loss <= 0) {
        line_up(due, departure.time, departure.packet, departure.first, departure.count);
        return;
    }
    for (std::uint32_t i = departure.first; i < departure.first + departure.count; ++i) {
        const double draw = static_cast<double>(random_() >> 11) * 0x1p-53;  // [0, 1), the same on every machine
        if (draw < segment.loss) {
            bins_.dropped(departure.time - epoch_, Drop::loss, departure.packet->ip_bytes(i, 1), 1);
        } else {
            line_up(due, departure.time, departure.packet, i, 1);
        }
    }
}

void Path::line_up(Time due, Time left, const PacketRef& packet, std::uint32_t first, std::uint32_t count) {
    if (!behind_.empty()) due = std::max(due, behind_.back().due);  // a shorter delay does not reorder
    behind_.push_back({due, left, packet, first, count});
}

bool Path::pop(Time now, Delivery& delivery) {
    advance(now);
    if (behind_.empty() || behind_.front().due > now) return false;
    delivery = std::move(behind_.front());
    behind_.pop_front();
    while (!behind_.empty() && behind_.front().due <= now && behind_.front().packet == delivery.packet &&
           behind_.front().first == delivery.first + delivery.count) {
        delivery.count += behind_.front().count;
        behind_.pop_front();
    }
    return true;
}

Time Path::next() {
    if (!behind_.empty()) return behind_.front().due;
    if (!bottleneck_) return kNever;
    const Time departure = bottleneck_->next();
    return before_.empty() ? departure : std::min(departure, before_.front().time);
}

Time Path::settled(Time now) const {
    return behind_.empty() ? now : std::min(now, behind_.front().left);
}

void Path::delivered(Time now, const Delivery& delivery) {
    if (delivery.left == kNever) return;
    const Time lateness = std::max<Time>(0, now - delivery.due);
    const std::uint32_t bytes = delivery.packet->ip_bytes(delivery.first, delivery.count);
    bins_.delivered(delivery.left - epoch_ + lateness, bytes, delivery.count, lateness);
}

void Path::lost_at_device(Time now, std::uint64_t bytes, std::uint64_t packets) {
    if (epoch_ != kNever) bins_.dropped(now - epoch_, Drop::device, bytes, packets);
}

}  // namespace mmwemu
