#include "core/bottleneck.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mmwemu {

namespace {
constexpr int kStepsAhead = 1024;  // at most in one call, so that a long outage of short steps cannot stall the caller
constexpr double kNoBits = 1e-3;   // rounding may leave this much of a served segment
}  // namespace

void Bottleneck::push(Time now, PacketRef packet) {
    const std::uint32_t segments = packet->segments;
    const std::uint32_t bytes = packet->ip_bytes(0, segments);
    const std::uint64_t number = arrived_ + 1;
    arrived_ += segments;
    if (bins_ != nullptr) bins_->offered(now - epoch_, bytes, segments);
    if (outage_ == Outage::drop && arrivals_.at(now).rate_bps == 0) {
        if (bins_ != nullptr) {
            bins_->dropped(now - epoch_, Drop::outage, {*packet, 0, segments, number, now - epoch_});
        }
        return;
    }
    Item item{std::move(packet), 0, segments, number, now};
    const bool idle = !served_.packet;
    if (idle && std::isinf(arrivals_.at(now).rate_bps)) {
        queue_->pass(item);
        serve_from(now, std::move(item));
    } else {
        queue_->push(now, std::move(item));
    }
    if (bins_ != nullptr) bins_->queue(now - epoch_, queue_bytes());
    if (idle && !served_.packet) {
        spare_bits_ = 0;
        begin_service(now);
    }
}

void Bottleneck::serve_from(Time now, Item item) {
    served_ = std::move(item);
    served_to_ = now;
    left_bits_ = 8.0 * served_.bytes() - spare_bits_;
    finished_ = false;
}

void Bottleneck::begin_service(Time now) {
    Item item;
    if (queue_->pop(now, std::isinf(service_.at(now).rate_bps), item)) {
        serve_from(now, std::move(item));
    } else {
        served_ = {};
    }
}

void Bottleneck::serve() {
    for (int i = 0; i < kStepsAhead && !finished_ && served_to_ != kNever; ++i) {
        const Span& span = service_.at(served_to_);
        if (std::isinf(span.rate_bps) || left_bits_ < kNoBits) {
            spare_bits_ = 0;
            finished_ = true;
            return;
        }
        const double needed_ns = std::ceil(left_bits_ * kSecond / span.rate_bps);  // infinite in an outage
        const auto there_ns = static_cast<double>(span.end - served_to_);
        if (needed_ns <= there_ns) {
            served_to_ += static_cast<Time>(needed_ns);
            spare_bits_ = std::max(0.0, span.rate_bps * needed_ns / kSecond - left_bits_);
            finished_ = true;
            return;
        }
        left_bits_ -= span.rate_bps * there_ns / kSecond;
        served_to_ = span.end;
    }
}

bool Bottleneck::pop(Time until, Departure& departure) {
    while (served_.packet && !finished_ && served_to_ <= until) serve();
    if (!served_.packet || !finished_ || served_to_ > until) return false;
    departure.time = served_to_;
    departure.first = served_.first;
    departure.count = served_.count();
    departure.number = served_.number + served_.first;
    departure.arrival = served_.arrival;
    queue_->left(served_.bytes(), served_.count());
    departure.packet = std::move(served_.packet);
    begin_service(departure.time);
    if (bins_ != nullptr) bins_->queue(departure.time - epoch_, queue_bytes());
    return true;
}

Time Bottleneck::next() {
    if (!served_.packet) return kNever;
    if (!finished_) serve();
    return served_to_;
}

}  // namespace mmwemu
