#include "core/bottleneck.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mmwemu {

namespace {
constexpr int kStepsAhead = 1024;  // walked in one call, so that a long outage of short steps cannot stall the caller
constexpr double kNoBits = 1e-3;   // what rounding may leave of a segment that is served
}  // namespace

void Bottleneck::push(Time now, PacketRef packet) {
    const std::uint32_t segments = packet->segments;
    const std::uint32_t bytes = packet->ip_bytes(0, segments);
    const std::uint64_t number = arrived_ + 1;
    arrived_ += segments;
    if (bins_ != nullptr) bins_->offered(now - epoch_, bytes, segments);
    if (outage_ == Outage::drop && arrivals_.at(now).rate_bps == 0) {
        if (bins_ != nullptr) bins_->dropped(now - epoch_, Drop::outage, bytes, segments);
        return;
    }
    std::uint32_t accepted = segments;
    std::uint32_t accepted_bytes = bytes;
    const std::uint64_t room = limit_bytes_ - queue_bytes_;
    const bool passes = queue_.empty() && std::isinf(arrivals_.at(now).rate_bps);
    if (bytes > room && !passes) {
        const std::uint32_t full = packet->header_bytes + packet->mss;
        accepted = segments == 1 ? 0 : static_cast<std::uint32_t>(std::min<std::uint64_t>(room / full, segments - 1));
        accepted_bytes = accepted == 0 ? 0 : packet->ip_bytes(0, accepted);
        if (bins_ != nullptr) {
            bins_->dropped(now - epoch_, Drop::queue, bytes - accepted_bytes, segments - accepted);
        }
        if (accepted == 0) return;
    }
    queue_bytes_ += accepted_bytes;
    queue_.push_back({std::move(packet), 0, accepted, number});
    if (bins_ != nullptr) bins_->queue(now - epoch_, queue_bytes_);
    if (queue_.size() == 1) {
        spare_bits_ = 0;
        begin_service(now);
    }
}

void Bottleneck::begin_service(Time now) {
    const Queued& head = queue_.front();
    served_to_ = now;
    left_bits_ = 8.0 * head.packet->ip_bytes(head.first, 1) - spare_bits_;
    finished_ = false;
}

void Bottleneck::serve() {
    for (int i = 0; i < kStepsAhead && !finished_ && served_to_ != kNever; ++i) {
        const Segment& segment = service_.at(served_to_);
        if (std::isinf(segment.rate_bps) || left_bits_ < kNoBits) {
            spare_bits_ = 0;
            finished_ = true;
            return;
        }
        const double needed_ns = std::ceil(left_bits_ * kSecond / segment.rate_bps);  // infinite in an outage
        const auto there_ns = static_cast<double>(segment.end - served_to_);
        if (needed_ns <= there_ns) {
            served_to_ += static_cast<Time>(needed_ns);
            spare_bits_ = std::max(0.0, segment.rate_bps * needed_ns / kSecond - left_bits_);
            finished_ = true;
            return;
        }
        left_bits_ -= segment.rate_bps * there_ns / kSecond;
        served_to_ = segment.end;
    }
}

bool Bottleneck::pop(Time until, Departure& departure) {
    while (!queue_.empty() && !finished_ && served_to_ <= until) serve();
    if (queue_.empty() || !finished_ || served_to_ > until) return false;
    Queued& head = queue_.front();
    departure.time = served_to_;
    departure.packet = head.packet;
    departure.first = head.first;
    departure.number = head.number + head.first;
    departure.count = std::isinf(service_.at(served_to_).rate_bps) ? head.end - head.first : 1;
    queue_bytes_ -= head.packet->ip_bytes(departure.first, departure.count);
    head.first += departure.count;
    if (bins_ != nullptr) bins_->queue(departure.time - epoch_, queue_bytes_);
    if (head.first == head.end) queue_.pop_front();
    if (!queue_.empty()) begin_service(departure.time);
    return true;
}

Time Bottleneck::next() {
    if (queue_.empty()) return kNever;
    if (!finished_) serve();
    return served_to_;
}

}  // namespace mmwemu
