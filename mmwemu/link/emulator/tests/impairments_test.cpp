#include "core/impairments.h"

#include "tests/helpers.h"

namespace {

using namespace testing;

constexpr int kMany = 100'000;

Span span_of(Effects effects, double loss = 0) {
    return {0, kNever, 1e6, 50 * kMs, loss, effects};
}

std::vector<Fate> draw(const Span& span, int count, std::uint64_t seed = 3) {
    Impairments impairments(seed, {});
    std::vector<Fate> fates;
    for (int i = 1; i <= count; ++i) {
        if (impairments.touch(span, static_cast<std::uint64_t>(i), 1)) {
            fates.push_back(impairments.next(span, static_cast<std::uint64_t>(i), 1500));
        }
    }
    return fates;
}

TEST_CASE("Without effects, packets are left alone") {
    CHECK(draw(span_of({}), 1000).empty());
}

TEST_CASE("Each effect strikes its share of the packets") {
    Effects effects;
    effects.duplication = 0.1;
    effects.reordering = 0.3;
    const auto fates = draw(span_of(effects, 0.2), kMany);
    int lost = 0, duplicated = 0, overtakes = 0;
    for (const Fate& fate : fates) {
        lost += fate.lost;
        duplicated += fate.duplicated;
        overtakes += fate.overtakes;
    }
    CHECK(lost == Near(0.2 * kMany, 600));
    CHECK(duplicated == Near(0.1 * kMany, 500));
    CHECK(overtakes == Near(0.3 * kMany, 700));
}

TEST_CASE("One more effect does not change the others") {
    Effects effects;
    effects.jitter = kMs;
    effects.duplication = 0.5;
    effects.bit_error = 1e-3;
    const auto plain = draw(span_of({}, 0.3), 1000), more = draw(span_of(effects, 0.3), 1000);
    for (std::size_t i = 0; i < plain.size(); ++i) CHECK(plain[i].lost == more[i].lost);
}

TEST_CASE("Jitter is uniform around the delay") {
    Effects effects;
    effects.jitter = 10 * kMs;
    double sum = 0, squares = 0, most = 0;
    for (const Fate& fate : draw(span_of(effects), kMany)) {
        const double jitter_ms = static_cast<double>(fate.jitter) / kMs;
        sum += jitter_ms;
        squares += jitter_ms * jitter_ms;
        most = std::max(most, std::abs(jitter_ms));
    }
    CHECK(sum / kMany == Near(0, 0.1));
    CHECK(squares / kMany == Near(100.0 / 3, 0.5));  // the variance of a uniform distribution
    CHECK(most <= 10);
    CHECK(most > 9.99);
}

TEST_CASE("Gilbert-Elliott loss has the mean and the bursts of its Markov chain") {
    // Mean loss: the stationary p / (p + r) of the bad state; bursts of 1 / r where the bad state loses all.
    Effects effects;
    effects.gilbert_p = 0.02;
    effects.gilbert_r = 0.25;
    effects.loss_bad = 1;
    int lost = 0, bursts = 0;
    bool before = false;
    for (const Fate& fate : draw(span_of(effects), kMany)) {
        lost += fate.lost;
        bursts += fate.lost && !before;
        before = fate.lost;
    }
    CHECK(lost == Near(kMany * 0.02 / 0.27, 500));
    CHECK(static_cast<double>(lost) / bursts == Near(4, 0.25));
    effects.loss_bad = 0.5;  // and both states lose: Elliott
    lost = 0;
    for (const Fate& fate : draw(span_of(effects, 0.1), kMany)) lost += fate.lost;
    CHECK(lost == Near(kMany * (0.1 * 0.25 + 0.5 * 0.02) / 0.27, 600));
}

TEST_CASE("A step without Gilbert-Elliott loss ends the bad state") {
    Effects effects;
    effects.gilbert_p = 1;
    effects.loss_bad = 1;
    const Span chain = span_of(effects), none = span_of({}, 1e-9);
    Impairments impairments(1, {});
    impairments.next(chain, 1, 100);
    CHECK(impairments.next(chain, 2, 100).lost);
    CHECK(!impairments.next(none, 3, 100).lost);
    CHECK(!impairments.next(chain, 4, 100).lost);  // begins in the good state again
}

TEST_CASE("Bit errors come at their rate in all places of a packet") {
    Effects effects;
    effects.bit_error = 1e-4;
    Impairments impairments(3, {});
    const Span span = span_of(effects);
    int hit = 0;
    double wrong = 0, place = 0;
    for (int i = 0; i < kMany; ++i) {
        const Fate fate = impairments.next(span, 1, 1500);
        hit += !fate.wrong_bits.empty();
        wrong += static_cast<double>(fate.wrong_bits.size());
        for (std::size_t k = 0; k < fate.wrong_bits.size(); ++k) {
            place += fate.wrong_bits[k];
            CHECK(fate.wrong_bits[k] < 12000);
            CHECK((k == 0 || fate.wrong_bits[k] > fate.wrong_bits[k - 1]));
        }
    }
    CHECK(wrong == Near(1.2 * kMany, 1500));
    CHECK(hit == Near(kMany * (1 - std::exp(-1.2)), 800));
    CHECK(place / wrong == Near(6000, 60));
    effects.bit_error = 1;
    CHECK(impairments.next(span_of(effects), 1, 10).wrong_bits.size() == 80);
}

TEST_CASE("Packet events strike packets by their number") {
    Impairments impairments(
        1, {{3, Action::lose, 0}, {5, Action::duplicate, 0}, {5, Action::delay, 7}, {9, Action::corrupt, 0}});
    const Span span = span_of({});
    CHECK(!impairments.touch(span, 1, 2));
    CHECK(impairments.touch(span, 1, 3));
    CHECK(impairments.touch(span, 3, 1));
    CHECK(!impairments.touch(span, 6, 3));
    CHECK(impairments.touch(span, 6, 4));
    CHECK(!impairments.touch(span, 10, 9));
    CHECK(impairments.next(span, 3, 100).lost);
    CHECK(!impairments.next(span, 4, 100).lost);
    const Fate fifth = impairments.next(span, 5, 100);
    CHECK(fifth.duplicated);
    CHECK(fifth.delay == 7);
    CHECK(fifth.wrong_bits.empty());
    const Fate ninth = impairments.next(span, 9, 100);
    REQUIRE(ninth.wrong_bits.size() == 1);
    CHECK(ninth.wrong_bits[0] == 799);
}

}  // namespace
