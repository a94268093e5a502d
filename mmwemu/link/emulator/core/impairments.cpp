#include "core/impairments.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"

namespace mmwemu {

namespace {

bool happens(double probability, std::mt19937_64& random) {
    return probability > 0 && uniform(random) < probability;
}

}  // namespace

Impairments::Impairments(std::uint64_t seed, std::vector<PacketEvent> events)
    : events_(std::move(events)),
      loss_(seed),
      state_(seed_of(seed, 1)),
      jitter_(seed_of(seed, 2)),
      duplication_(seed_of(seed, 3)),
      errors_(seed_of(seed, 4)),
      reordering_(seed_of(seed, 5)) {}

bool Impairments::touch(const Span& span, std::uint64_t number, std::uint32_t count) {
    const bool effects = span.effects != Effects{};
    if (!effects) bad_ = false;
    if (effects || span.loss > 0) return true;
    if (events_.empty()) return false;
    const auto first = std::ranges::lower_bound(events_, number, {}, &PacketEvent::number);
    return first != events_.end() && first->number < number + count;
}

bool Impairments::lost(const Span& span) {
    const Effects& effects = span.effects;
    if (effects.gilbert_p <= 0 && effects.gilbert_r <= 0) bad_ = false;
    const bool result = happens(bad_ ? effects.loss_bad : span.loss, loss_);
    if (happens(bad_ ? effects.gilbert_r : effects.gilbert_p, state_)) bad_ = !bad_;
    return result;
}

void Impairments::draw_wrong_bits(double bit_error, std::uint32_t bits) {
    // The number of right bits before a wrong one is geometric, which spares a draw for each bit.
    const double log_right = std::log1p(-bit_error);
    for (double bit = 0;; bit += 1) {
        bit += bit_error >= 1 ? 0 : std::floor(std::log1p(-uniform(errors_)) / log_right);
        if (!(bit < bits)) return;
        wrong_bits_.push_back(static_cast<std::uint32_t>(bit));
    }
}

Fate Impairments::next(const Span& span, std::uint64_t number, std::uint32_t bytes) {
    const Effects& effects = span.effects;
    const std::uint32_t bits = 8 * bytes;
    Fate fate;
    fate.lost = lost(span);
    fate.duplicated = happens(effects.duplication, duplication_);
    fate.overtakes = happens(effects.reordering, reordering_);
    if (effects.jitter > 0) {
        fate.jitter = static_cast<Time>((2 * uniform(jitter_) - 1) * static_cast<double>(effects.jitter));
    }
    wrong_bits_.clear();
    if (effects.bit_error > 0) draw_wrong_bits(effects.bit_error, bits);
    for (auto event = std::ranges::lower_bound(events_, number, {}, &PacketEvent::number);
         event != events_.end() && event->number == number; ++event) {
        switch (event->action) {
            case Action::lose:
                fate.lost = true;
                break;
            case Action::duplicate:
                fate.duplicated = true;
                break;
            case Action::delay:
                fate.delay += event->delay;
                break;
            case Action::corrupt:  // the last byte is never part of the IP header
                if (wrong_bits_.empty()) wrong_bits_.push_back(bits - 1);
                break;
        }
    }
    fate.wrong_bits = wrong_bits_;
    return fate;
}

}  // namespace mmwemu
