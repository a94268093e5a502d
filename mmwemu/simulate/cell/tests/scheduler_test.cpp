// SPDX-License-Identifier: GPL-2.0-only
#include "core/scheduler.h"

#include <doctest/doctest.h>

#include <random>

using namespace mmwemu;

namespace {

std::vector<Grant> share(Scheduler& scheduler, std::uint32_t symbols, std::uint32_t unit,
                         const std::vector<Demand>& demands) {
    std::vector<Grant> grants;
    scheduler.share(symbols, unit, demands, grants);
    return grants;
}

}  // namespace

TEST_CASE("Round robin gives whole slots in turn, and skips who wants none") {
    RoundRobin scheduler;
    const std::vector<Demand> demands{{0, 22, 100}, {0, 0, 100}, {0, 22, 1}};
    std::vector<std::size_t> turns;
    for (int slot = 0; slot < 4; ++slot) {
        const auto grants = share(scheduler, 22, 22, demands);
        for (std::size_t ue = 0; ue < 3; ++ue) {
            if (grants[ue].fresh == 22) turns.push_back(ue);
        }
    }
    CHECK(turns == std::vector<std::size_t>{0, 2, 0, 2});
}

TEST_CASE("Round robin gives symbols evenly, and what one does not need to the others") {
    RoundRobin scheduler;
    const auto grants = share(scheduler, 22, 1, {{0, 22, 100}, {0, 2, 100}, {0, 22, 100}});
    CHECK(grants[0].fresh == 10);
    CHECK(grants[1].fresh == 2);
    CHECK(grants[2].fresh == 10);
}

TEST_CASE("Retransmissions come first, and one that does not fit is not overtaken") {
    RoundRobin scheduler;
    const auto grants = share(scheduler, 22, 1, {{0, 22, 100}, {12, 22, 100}});
    CHECK(grants[1].again);
    CHECK(grants[0].fresh == 5);
    CHECK(grants[1].fresh == 5);
    const auto waiting = share(scheduler, 10, 1, {{0, 22, 100}, {12, 22, 100}});
    CHECK(!waiting[1].again);
    CHECK(waiting[0].fresh + waiting[1].fresh == 0);
}

TEST_CASE("No scheduler gives more than there is or than was wanted, or leaves symbols that somebody wants") {
    std::mt19937 random(1);
    for (int draw = 0; draw < 2000; ++draw) {
        const std::size_t ues = 1 + random() % 20;
        const auto kind = draw % 2 == 0 ? SchedulerKind::kRoundRobin : SchedulerKind::kProportionalFair;
        const auto scheduler = make_scheduler(kind, ues, 100 * kMicrosecond);
        for (int slot = 0; slot < 5; ++slot) {
            const std::uint32_t symbols = random() % 23;
            std::vector<Demand> demands(ues);
            std::uint32_t wanted = 0;
            for (Demand& demand : demands) {
                demand.fresh = random() % 3 == 0 ? random() % 23 : 0;
                demand.bits_per_symbol = 1 + random() % 14000;
                wanted += demand.fresh;
            }
            std::vector<Grant> grants;
            const std::uint32_t used = scheduler->share(symbols, 1, demands, grants);
            std::uint32_t sum = 0;
            for (std::size_t ue = 0; ue < ues; ++ue) {
                CHECK(grants[ue].fresh <= demands[ue].fresh);
                sum += grants[ue].fresh;
            }
            CHECK(sum == used);
            CHECK(used == std::min(symbols, wanted));
        }
    }
}
