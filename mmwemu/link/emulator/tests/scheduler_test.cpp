#include "core/scheduler.h"

#include <map>
#include <vector>

#include "tests/helpers.h"

namespace {

using namespace testing;

constexpr Time kSlot = 125'000;

/// Give whole slots for a while to clients with constant rates that always have something to send; slots by client.
std::map<std::uint32_t, int> share(Scheduler& scheduler, const std::vector<Candidate>& candidates, int slots,
                                   Time begin = 1'000'000'000'000) {
    std::map<std::uint32_t, int> found;
    for (int i = 1; i <= slots; ++i) {
        const Time now = begin + i * kSlot;
        const std::uint32_t client = scheduler.choose(now - kSlot, candidates);
        const auto chosen = std::ranges::find(candidates, client, &Candidate::client);
        REQUIRE(chosen != candidates.end());
        scheduler.used(now, client, kSlot, chosen->rate_bps * kSlot / kSecond);
        ++found[client];
    }
    return found;
}

TEST_CASE("Round robin and proportional fairness give constant rates equal airtime") {
    for (const Policy policy : {Policy::round_robin, Policy::proportional_fair}) {
        Scheduler scheduler(policy, 10, kSlot);
        const auto found = share(scheduler, {{1, 1e6}, {4, 50e6}, {7, 1e9}, {9, 3e6}}, 40'000);
        CHECK(found.size() == 4);
        for (const auto& [client, slots] : found) CHECK(slots == Near(10'000, policy == Policy::round_robin ? 1 : 300));
    }
}

TEST_CASE("The highest rate takes all, and equal ones take turns") {
    Scheduler scheduler(Policy::max_rate, 4, kSlot);
    CHECK((share(scheduler, {{0, 1e8}, {1, 3e8}, {2, 2e8}}, 100) == std::map<std::uint32_t, int>{{1, 100}}));
    CHECK((share(scheduler, {{0, 3e8}, {1, 3e8}, {3, 3e8}}, 99) ==
           std::map<std::uint32_t, int>{{0, 33}, {1, 33}, {3, 33}}));
}

TEST_CASE("A client that had no slot for long comes first, but not for long") {
    Scheduler scheduler(Policy::proportional_fair, 2, kSlot);
    share(scheduler, {{0, 1e8}}, 8000);
    const auto found = share(scheduler, {{0, 1e8}, {1, 1e8}}, 800, 1'000'000'000'000 + kSecond);
    CHECK(found.at(1) > 450);
    CHECK(found.at(1) < 700);
}

TEST_CASE("The mean rate forgets over any length of time") {
    Scheduler scheduler(Policy::proportional_fair, 2, kSlot);
    for (const Time begin : {Time{0}, 10 * kSecond, 100 * kSecond, 1'000'000 * kSecond}) {
        const auto found = share(scheduler, {{0, 1e8}, {1, 2e8}}, 16'000, begin);
        CHECK(found.at(0) == Near(8000, 200));
    }
}

TEST_CASE("What is left of a slot counts as airtime") {
    // Client 0 uses a fifth of each of its slots, the next client the rest: turns keep the airtime of 1 and 2 equal.
    Scheduler scheduler(Policy::round_robin, 3, kSlot);
    std::map<std::uint32_t, Time> airtime;
    Time now = 0;
    for (int i = 0; i < 3000; ++i) {
        Time left = kSlot;
        std::vector<Candidate> candidates = {{0, 1e8}, {1, 1e8}, {2, 1e8}};
        while (left > 0) {
            const std::uint32_t client = scheduler.choose(now, candidates);
            const Time use = client == 0 ? std::min(left, kSlot / 5) : left;
            now += use;
            left -= use;
            airtime[client] += use;
            scheduler.used(now, client, use, 1);
            if (client == 0) {
                scheduler.idle(0);
                candidates.erase(candidates.begin());
            }
        }
    }
    CHECK(airtime[1] == Near(airtime[2], 2 * kSlot));
    CHECK(airtime[0] > 3000 * kSlot / 20);
}

TEST_CASE("A client whose rate has no limit comes first") {
    for (const Policy policy : {Policy::round_robin, Policy::proportional_fair, Policy::max_rate}) {
        Scheduler scheduler(policy, 3, kSlot);
        CHECK((share(scheduler, {{0, 1e8}, {2, kInf}}, 1) == std::map<std::uint32_t, int>{{2, 1}}));
    }
}

}  // namespace
