// SPDX-License-Identifier: GPL-2.0-only
#include "core/rlc_um.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace mmwemu;

namespace {

constexpr RlcTimers kTimers{4 * kMillisecond, 2 * kMillisecond, kMillisecond};
constexpr Time kSlot = 100 * kMicrosecond;

/// Ids that arrive when a share of the blocks is lost; every fifth block comes four slots late.
std::vector<std::uint64_t> run(std::uint64_t sdus, double loss, std::uint32_t block_bytes) {
    UmSender sender(40u << 20);
    UmReceiver receiver(kTimers);
    std::mt19937 random(1);
    std::vector<Sdu> delivered;
    std::map<Time, std::vector<Pdu>> air;
    for (std::uint64_t i = 0; i < sdus; ++i) CHECK(sender.push({0, 1428, 1400}));
    Time end = 0;
    for (Time now = 0; now < end + 10 * kMillisecond; now += kSlot) {
        if (sender.has_data(now)) end = now;
        const auto pdus = sender.fill(now, block_bytes);
        const Time late = random() % 5 == 0 ? 5 * kSlot : kSlot;
        if (random() % 1000 >= loss * 1000) {
            auto& there = air[now + late];
            there.insert(there.end(), pdus.begin(), pdus.end());
        }
        for (const Pdu& pdu : air[now]) receiver.on_pdu(now, pdu, delivered);
        receiver.give_up(now, delivered);
        CHECK(!receiver.status(now));
    }
    std::vector<std::uint64_t> ids;
    for (const Sdu& sdu : delivered) ids.push_back(sdu.id);
    return ids;
}

}  // namespace

TEST_CASE("RLC UM delivers all in order where nothing is lost, although blocks overtake each other") {
    for (const std::uint32_t block_bytes : {200u, 5'000u, 20'000u}) {
        const auto ids = run(2'000, 0, block_bytes);
        REQUIRE(ids.size() == 2'000);
        for (std::size_t i = 0; i < ids.size(); ++i) CHECK(ids[i] == i);
    }
}

TEST_CASE("RLC UM loses the SDUs of lost blocks and no others, and keeps the order") {
    const auto ids = run(20'000, 0.1, 14'300);  // ten SDUs a block, of which the last one goes on in the next
    CHECK(std::is_sorted(ids.begin(), ids.end()));
    CHECK(ids.size() > 20'000 * 0.84);
    CHECK(ids.size() < 20'000 * 0.94);
    CHECK(ids.back() > 19'900);
}

TEST_CASE("RLC UM waits for a missing PDU as long as t-Reordering") {
    UmSender sender(1u << 20);
    UmReceiver receiver(kTimers);
    std::vector<Sdu> delivered;
    std::vector<Pdu> pdus;
    for (int i = 0; i < 3; ++i) {
        CHECK(sender.push({0, 1000, 972}));
        pdus.push_back(sender.fill(0, 1005).front());
    }
    CHECK(!sender.has_data(kSecond));
    receiver.on_pdu(0, pdus[0], delivered);
    receiver.on_pdu(kMillisecond, pdus[2], delivered);
    CHECK(delivered.size() == 1);
    receiver.give_up(3 * kMillisecond - 1, delivered);
    CHECK(delivered.size() == 1);
    receiver.give_up(3 * kMillisecond, delivered);
    REQUIRE(delivered.size() == 2);
    CHECK(delivered[1].id == 2);
    receiver.on_pdu(4 * kMillisecond, pdus[1], delivered);  // too late
    CHECK(delivered.size() == 2);
}

TEST_CASE("RLC UM drops SDUs when its buffer is full, and numbers those that it takes") {
    UmSender sender(3000);
    CHECK(sender.push({7, 1428, 1400}));
    CHECK(sender.push({8, 1428, 1400}));
    CHECK(!sender.push({9, 1428, 1400}));
    const auto pdus = sender.fill(0, 5000);
    REQUIRE(pdus.size() == 1);
    CHECK(pdus[0].layout->back().sdu.id == 1);
    CHECK(sender.queue_bytes() == 0);
    CHECK(sender.wanted_bytes(0, 5000) == 0);
}
