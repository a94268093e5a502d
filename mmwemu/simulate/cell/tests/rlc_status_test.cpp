// SPDX-License-Identifier: GPL-2.0-only
#include <doctest/doctest.h>

#include "core/rlc_am.h"

using namespace mmwemu;

TEST_CASE("A status PDU has the size of TS 38.322") {
    CHECK(size_bytes(Status{7, {}}) == 3);
    CHECK(size_bytes(Status{7, {{3, {}}}}) == 6);
    CHECK(size_bytes(Status{7, {{3, {}}, {5, {{0, 10}, {20, 30}}}}}) == 3 + 3 + 2 * 7);
}

TEST_CASE("A status that does not fit reports a front part and acknowledges no more") {
    const Status whole{100, {{3, {}}, {5, {{0, 10}}}, {9, {}}}};
    CHECK(fit(whole, size_bytes(whole)).nacks.size() == 3);
    CHECK(fit(whole, size_bytes(whole)).ack_sn == 100);
    for (std::uint32_t bytes = 3; bytes < size_bytes(whole); ++bytes) {
        const Status part = fit(whole, bytes);
        CHECK(size_bytes(part) <= bytes);
        REQUIRE(part.nacks.size() < 3);
        CHECK(part.ack_sn == whole.nacks[part.nacks.size()].sn);
    }
}

TEST_CASE("A sender tells the size of the block that takes all it has") {
    for (const std::uint32_t packets : {1u, 3u, 20u}) {
        AmSender sender({4 * kMillisecond, 2 * kMillisecond, kMillisecond}, 1'000'000);
        for (std::uint64_t i = 0; i < packets; ++i) sender.push({i, 100, 72, 0, 0});
        CHECK(sender.wanted_bytes(0, 50) == 50);
        const std::uint32_t wanted = sender.wanted_bytes(0, 1'000'000);
        CHECK(wanted == 3 + packets * 102);
        sender.fill(0, wanted);
        CHECK(sender.queue_bytes() == 0);
        CHECK(sender.wanted_bytes(0, 1'000'000) == 0);
        // Two PDUs are missing: both fit the block that is wanted for them.
        sender.fill(0, 0);
        sender.on_status(0, {1, {{0, {{0, 30}, {40, 60}}}}});
        CHECK(sender.wanted_bytes(0, 1'000'000) == 2 * 5 + 50);
        CHECK(sender.fill(0, 60).size() == 2);
        CHECK(sender.queue_bytes() == 0);
    }
}
