#include "core/pie.h"

#include <algorithm>
#include <utility>

#include "core/random.h"

namespace mmwemu {

namespace {

/// Scale the controller's step: small probabilities move in small steps (RFC 8033, 4.2).
double scale_of(double probability) {
    if (probability < 1e-6) return 1.0 / 2048;
    if (probability < 1e-5) return 1.0 / 512;
    if (probability < 1e-4) return 1.0 / 128;
    if (probability < 1e-3) return 1.0 / 32;
    if (probability < 1e-2) return 1.0 / 8;
    if (probability < 1e-1) return 1.0 / 2;
    return 1;
}

double seconds(Time time) {
    return static_cast<double>(time) / kSecond;
}

}  // namespace

void PieQueue::update(Time now) {
    delay_before_ = std::exchange(delay_, empty() ? 0 : now - items_.oldest());
    const double step =
        scale_of(probability_) * (kAlphaHz * seconds(delay_ - kReference) + kBetaHz * seconds(delay_ - delay_before_));
    probability_ += step;
    if (delay_ == 0 && delay_before_ == 0) probability_ *= 0.98;
    probability_ = std::clamp(probability_, 0.0, 1.0);
    burst_ = std::max<Time>(0, burst_ - kUpdate);
    if (probability_ == 0 && delay_ < kReference / 2 && delay_before_ < kReference / 2) burst_ = kMaxBurst;
}

void PieQueue::update_until(Time now) {
    while (next_update_ <= now) {
        update(next_update_);
        next_update_ += kUpdate;
        if (empty() && probability_ == 0 && delay_before_ == 0 && next_update_ <= now) {
            next_update_ += (now - next_update_) / kUpdate * kUpdate;  // nothing changes while no packet arrives
        }
    }
}

bool PieQueue::strikes() {
    if (burst_ > 0) return false;
    if (delay_before_ < kReference / 2 && probability_ < 0.2) return false;
    if (held().bytes <= 2 * kMeanPacketBytes) return false;
    return uniform(random_) < probability_;
}

void PieQueue::push(Time now, Item item) {
    update_until(now);
    if (probability_ == 0) {
        FifoQueue::push(now, std::move(item));
        return;
    }
    while (item.count() > 0) {
        Item one = take_from(item, false);
        if (fitting(one) == 0) {
            refuse(now, Drop::queue, one);
        } else if (strikes() && !(probability_ < kMarkBelow && mark(now, one))) {
            refuse(now, Drop::aqm, one);
        } else {
            FifoQueue::push(now, std::move(one));
        }
    }
}

bool PieQueue::pop(Time now, bool whole, Item& item) {
    update_until(now);
    return FifoQueue::pop(now, whole, item);
}

}  // namespace mmwemu
