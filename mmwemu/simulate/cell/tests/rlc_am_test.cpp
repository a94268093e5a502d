// SPDX-License-Identifier: GPL-2.0-only
#include "core/rlc_am.h"

#include <doctest/doctest.h>

#include <deque>
#include <random>

using namespace mmwemu;

namespace {

constexpr RlcTimers kTimers{4 * kMillisecond, 2 * kMillisecond, kMillisecond};
constexpr Time kSlot = 100 * kMicrosecond, kUplink = 300 * kMicrosecond;
constexpr std::uint64_t kBuffer = 20u << 20;

struct Outcome {
    std::vector<Sdu> delivered;
    std::uint64_t sent_bytes = 0;
    Time end = 0;
};

/// Send SDUs through blocks of which a share is lost; block sizes are drawn from [low, high].
Outcome run(int sdus, double loss, std::uint32_t low, std::uint32_t high, Time limit = 100 * kSecond) {
    AmSender sender(kTimers, kBuffer);
    AmReceiver receiver(kTimers);
    std::mt19937 random(1);
    std::deque<std::pair<Time, Status>> uplink;
    Outcome out;
    std::uint64_t next = 0;
    for (Time now = 0; now < limit && out.delivered.size() < static_cast<std::size_t>(sdus); now += kSlot) {
        for (int i = 0; i < 9 && next < static_cast<std::uint64_t>(sdus); ++i) {
            if (sender.push({next, 1428, 1400, now})) ++next;
        }
        while (!uplink.empty() && uplink.front().first <= now) {
            sender.on_status(now, uplink.front().second);
            uplink.pop_front();
        }
        const std::uint32_t block = low + random() % (high - low + 1);
        const auto pdus = sender.fill(now, block);
        for (const Pdu& pdu : pdus) out.sent_bytes += pdu.bytes.size();
        if (random() % 1000 >= loss * 1000) {
            for (const Pdu& pdu : pdus) receiver.on_pdu(now + kSlot, pdu, out.delivered);
        }
        if (auto status = receiver.status(now + kSlot)) uplink.emplace_back(now + kUplink, std::move(*status));
        out.end = now;
    }
    return out;
}

bool in_order(const Outcome& out, std::size_t sdus) {
    if (out.delivered.size() != sdus) return false;
    for (std::size_t i = 0; i < sdus; ++i) {
        if (out.delivered[i].id != i) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("RLC delivers all SDUs in order") {
    const Outcome clean = run(20'000, 0, 20'000, 20'000);
    CHECK(in_order(clean, 20'000));
    CHECK(clean.sent_bytes == 20'000u * 1428u);
    CHECK(in_order(run(20'000, 0.05, 20'000, 20'000), 20'000));
    CHECK(in_order(run(20'000, 0.30, 20'000, 20'000), 20'000));
}

TEST_CASE("RLC segments again for smaller transport blocks") {
    CHECK(in_order(run(20'000, 0.30, 40, 30'000), 20'000));
    CHECK(in_order(run(300, 0.30, 20, 90), 300));
}

TEST_CASE("RLC repeats a large PDU in small transport blocks") {
    AmSender sender(kTimers, kBuffer);
    AmReceiver receiver(kTimers);
    std::vector<Sdu> delivered;
    for (std::uint64_t i = 0; i < 10; ++i) CHECK(sender.push({i, 1428, 0}));
    CHECK(sender.fill(0, 40'000).size() == 1);  // lost
    sender.on_status(0, {1, {{0, {}}}});
    CHECK(sender.queue_bytes() == 14'280);
    int pieces = 0;
    for (; sender.queue_bytes() > 0; ++pieces) {
        for (const Pdu& pdu : sender.fill(0, 100)) receiver.on_pdu(0, pdu, delivered);
    }
    CHECK(pieces == 151);  // 95 bytes a piece
    CHECK(delivered.size() == 10);
}

TEST_CASE("RLC repeats only the missing bytes") {
    AmSender sender(kTimers, kBuffer);
    AmReceiver receiver(kTimers);
    std::vector<Sdu> delivered;
    CHECK(sender.push({0, 1000, 0}));
    CHECK(sender.push({1, 1000, 0}));
    sender.fill(0, 2007);  // SN 0, lost
    sender.on_status(0, {1, {{0, {{500, 700}}}}});
    const auto again = sender.fill(0, 5000);
    REQUIRE(again.size() == 1);
    CHECK(again[0].bytes.begin == 500);
    CHECK(again[0].bytes.end == 700);
    CHECK(again[0].total == 2000);
}

TEST_CASE("RLC polls again when no status comes back") {
    AmSender sender(kTimers, kBuffer);
    CHECK(sender.push({0, 1000, 0}));
    const auto first = sender.fill(0, 5000);
    REQUIRE(first.size() == 1);
    CHECK(first[0].poll);
    CHECK(!sender.has_data(3 * kMillisecond));
    CHECK(sender.has_data(4 * kMillisecond));
    const auto second = sender.fill(4 * kMillisecond, 5000);
    REQUIRE(second.size() == 1);
    CHECK(second[0].poll);
    CHECK(second[0].sn == 0);
    sender.on_status(5 * kMillisecond, {1, {}});
    CHECK(!sender.has_data(kSecond));
}

TEST_CASE("RLC reports a gap after the reordering time, and no more often than allowed") {
    AmSender sender(kTimers, kBuffer);
    AmReceiver receiver(kTimers);
    std::vector<Sdu> delivered;
    std::vector<Pdu> pdus;
    for (std::uint64_t i = 0; i < 3; ++i) {
        CHECK(sender.push({i, 1000, 0}));
        pdus.push_back(sender.fill(0, 1005).front());
    }
    receiver.on_pdu(0, pdus[0], delivered);
    CHECK(receiver.status(0).has_value());
    receiver.on_pdu(kMillisecond / 2, pdus[2], delivered);
    CHECK(delivered.size() == 1);
    CHECK(!receiver.status(2 * kMillisecond));
    const auto status = receiver.status(5 * kMillisecond / 2);
    REQUIRE(status.has_value());
    CHECK(status->ack_sn == 3);
    REQUIRE(status->nacks.size() == 1);
    CHECK(status->nacks[0].sn == 1);
    receiver.on_pdu(3 * kMillisecond, pdus[1], delivered);
    CHECK(delivered.size() == 3);
    CHECK(!receiver.status(3 * kMillisecond));
    CHECK(receiver.status(7 * kMillisecond / 2).has_value());
}

TEST_CASE("RLC drops SDUs when its buffer is full") {
    AmSender sender(kTimers, 3000);
    CHECK(sender.push({0, 1428, 0}));
    CHECK(sender.push({1, 1428, 0}));
    CHECK(!sender.push({2, 1428, 0}));
    CHECK(sender.queue_bytes() == 2856);
    sender.fill(0, 1000);
    CHECK(sender.push({2, 900, 0}));
}
