#include "core/scheduler.h"

#include <algorithm>
#include <cmath>

namespace mmwemu {

namespace {

constexpr double kMostGrowth = 1e30;  // beyond it, mean rates are written anew

double in_units_of(Time time, Time unit) {
    return static_cast<double>(time) / static_cast<double>(unit);
}

}  // namespace

std::uint32_t Scheduler::choose(Time now, std::span<const Candidate> candidates) {
    const auto unlimited = std::ranges::find_if(candidates, [](const auto& one) { return std::isinf(one.rate_bps); });
    if (unlimited != candidates.end()) return unlimited->client;  // it takes no time
    switch (policy_) {
        case Policy::round_robin:
            return turn_ = take_turns(candidates);
        case Policy::proportional_fair:
            rebase(now);
            return turn_ = fairest(now, candidates);
        case Policy::max_rate:
            break;
    }
    return turn_ = fastest(candidates);
}

std::uint32_t Scheduler::take_turns(std::span<const Candidate> candidates) {
    // Deficit round robin (Shreedhar and Varghese 1995) with airtime in place of bytes.
    auto next = std::ranges::lower_bound(candidates, turn_, {}, &Candidate::client);
    if (next != candidates.end() && next->client == turn_) {
        if (credit_[turn_] > 0) return turn_;
        ++next;
    }
    for (;; ++next) {
        if (next == candidates.end()) next = candidates.begin();
        Time& credit = credit_[next->client];
        credit = std::min(credit, Time{0}) + slot_;
        if (credit > 0) return next->client;
    }
}

std::uint32_t Scheduler::fairest(Time now, std::span<const Candidate> candidates) const {
    const double least = growth(now) * static_cast<double>(kSecond) / static_cast<double>(slot_);  // 1 bit a slot
    const auto ratio = [&](const Candidate& one) { return one.rate_bps / (mean_bps_[one.client] + least); };
    return std::ranges::max_element(candidates, {}, ratio)->client;
}

std::uint32_t Scheduler::fastest(std::span<const Candidate> candidates) const {
    // Clients with the same rate take turns.
    const Candidate* best = nullptr;
    const auto is_after = [this](std::uint32_t client) { return client > turn_; };
    for (const Candidate& one : candidates) {
        const bool better = best == nullptr || one.rate_bps > best->rate_bps ||
                            (one.rate_bps == best->rate_bps && is_after(one.client) && !is_after(best->client));
        if (better) best = &one;
    }
    return best->client;
}

void Scheduler::used(Time now, std::uint32_t client, Time airtime, double bits) {
    credit_[client] -= airtime;
    if (policy_ != Policy::proportional_fair) return;
    rebase(now);
    mean_bps_[client] += growth(now) * bits / in_units_of(kFairOver, kSecond);
}

void Scheduler::idle(std::uint32_t client) {
    credit_[client] = std::min(credit_[client], Time{0});  // it keeps debts, but no savings
}

void Scheduler::rebase(Time now) {
    const double factor = growth(now);
    if (factor < kMostGrowth) return;
    for (double& mean_bps : mean_bps_) mean_bps /= factor;
    base_ = now;
}

double Scheduler::growth(Time now) const {
    return std::exp(in_units_of(now - base_, kFairOver));
}

}  // namespace mmwemu
