#include "core/schedule.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mmwemu {

Schedule::Schedule(std::vector<Step> steps, Time duration, End end)
    : steps_(std::move(steps)), duration_(duration), end_(end) {
    if (steps_.empty() || steps_.front().start != 0) throw std::invalid_argument("the first step must start at 0");
    for (std::size_t i = 1; i < steps_.size(); ++i) {
        if (steps_[i].start <= steps_[i - 1].start) throw std::invalid_argument("the steps' times must rise strictly");
    }
    if (duration_ <= steps_.back().start) throw std::invalid_argument("the duration must be after the last step");
}

Span Schedule::at(Time time, std::size_t& hint) const {
    Time base = 0;
    if (time >= duration_) {
        const Step& last = steps_.back();
        if (end_ == End::hold) return {last.start, kNever, last.rate_bps, last.delay, last.loss, last.effects};
        if (end_ == End::stop) return {duration_, kNever, 0, last.delay, 0, {}};
        base = time / duration_ * duration_;
        time -= base;
    }
    const std::size_t n = steps_.size();
    auto holds = [&](std::size_t i) {
        return i < n && steps_[i].start <= time && (i + 1 == n || time < steps_[i + 1].start);
    };
    if (holds(hint + 1)) {
        ++hint;
    } else if (!holds(hint)) {
        auto after = std::upper_bound(steps_.begin(), steps_.end(), time,
                                      [](Time t, const Step& step) { return t < step.start; });
        hint = static_cast<std::size_t>(after - steps_.begin()) - 1;
    }
    const Step& step = steps_[hint];
    Time end = hint + 1 < n ? base + steps_[hint + 1].start : base + duration_;
    if (hint + 1 == n && end_ == End::hold) end = kNever;
    return {base + step.start, end, step.rate_bps, step.delay, step.loss, step.effects};
}

const Span& Cursor::at(Time now) {
    if (now < span_.start || now >= span_.end) {
        span_ = schedule_->at(now - origin_, hint_);
        span_.start += origin_;
        span_.end = span_.end == kNever ? kNever : span_.end + origin_;
    }
    return span_;
}

}  // namespace mmwemu
