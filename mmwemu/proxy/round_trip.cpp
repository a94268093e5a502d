#include "round_trip.h"

#include <algorithm>

namespace mmwemu::proxy {

void HalfRoundTrip::sent(Time now, std::uint32_t value) {
    if (!pending_.empty() && distance(value, pending_.back().value) <= 0) return;
    pending_.push_back({value, now});
    if (pending_.size() > kMostPending) pending_.pop_front();
}

void HalfRoundTrip::echoed(Time now, std::uint32_t value) {
    while (!pending_.empty() && distance(pending_.front().value, value) < 0) pending_.pop_front();
    if (pending_.empty() || pending_.front().value != value) return;
    const Time took = now - pending_.front().sent;
    least_ = least_ ? std::min(*least_, took) : took;
}

}  // namespace mmwemu::proxy
