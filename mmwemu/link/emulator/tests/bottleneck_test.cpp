#include "core/bottleneck.h"

#include <numeric>

#include "tests/helpers.h"

namespace {

using namespace testing;

/// A drop-tail queue of some bytes.
QueueSettings bytes(std::uint64_t limit) {
    return {Aqm::drop_tail, {limit, 0}, false, 0};
}

const QueueSettings kQueue = bytes(1'500'000);

/// Pop all up to a time, as (time, bytes).
std::vector<std::pair<Time, std::uint32_t>> drain(Bottleneck& bottleneck, Time until) {
    std::vector<std::pair<Time, std::uint32_t>> out;
    Departure departure;
    while (bottleneck.pop(until, departure)) {
        out.emplace_back(departure.time, departure.packet->ip_bytes(departure.first, departure.count));
    }
    return out;
}

TEST_CASE("A packet takes its size over the rate to send") {
    PacketPool pool;
    const Schedule schedule = constant(12e6);
    Bottleneck bottleneck(schedule, 0, kQueue, Outage::hold, nullptr, 0);
    bottleneck.push(5 * kMs, plain(pool, 1500));
    CHECK(bottleneck.next() == 6 * kMs);
    CHECK(drain(bottleneck, 6 * kMs - 1).empty());
    CHECK(drain(bottleneck, 6 * kMs).size() == 1);
    CHECK(bottleneck.next() == kNever);
    CHECK(bottleneck.queue_bytes() == 0);
}

TEST_CASE("A rate step retimes the queued packets") {
    // 1000 packets at 1 Mbit/s would take 12 s; after 1 s at 1 Mbit/s, 100 Mbit/s drain the rest within 0.11 s.
    PacketPool pool;
    const Schedule schedule({{0, 1e6, 0, 0}, {kSecond, 100e6, 0, 0}}, 10 * kSecond, End::hold);
    Bottleneck bottleneck(schedule, 0, kQueue, Outage::hold, nullptr, 0);
    for (int i = 0; i < 1000; ++i) bottleneck.push(0, plain(pool, 1500));
    const auto out = drain(bottleneck, 10 * kSecond);
    REQUIRE(out.size() == 1000);
    CHECK(out.back().first == Near(1e9 + (12e6 - 1e6) / 100e6 * 1e9, 2000));
}

TEST_CASE("After an outage that holds, service goes on where it stopped") {
    PacketPool pool;
    const Schedule schedule({{0, 12e6, 0, 0}, {kMs / 2, 0, 0, 0}, {100 * kMs, 12e6, 0, 0}}, kSecond, End::hold);
    Bottleneck bottleneck(schedule, 0, kQueue, Outage::hold, nullptr, 0);
    bottleneck.push(0, plain(pool, 1500));  // half served when the outage begins
    bottleneck.push(50 * kMs, plain(pool, 1500));
    const auto out = drain(bottleneck, kSecond);
    REQUIRE(out.size() == 2);
    CHECK(out[0].first == 100 * kMs + kMs / 2);
    CHECK(out[1].first == 101 * kMs + kMs / 2);
}

TEST_CASE("An outage that drops loses the packets that arrive in it and keeps the queued ones") {
    PacketPool pool;
    std::vector<Record> records(400);
    Bins bins(records, 0);
    const Schedule schedule({{0, 12e6, 0, 0}, {kMs / 2, 0, 0, 0}, {100 * kMs, 12e6, 0, 0}}, kSecond, End::hold);
    Bottleneck bottleneck(schedule, 0, kQueue, Outage::drop, &bins, 0);
    bottleneck.push(0, plain(pool, 1500));
    bottleneck.push(50 * kMs, plain(pool, 1000));
    CHECK(drain(bottleneck, 100 * kMs).empty());
    bottleneck.push(100 * kMs, plain(pool, 1500));
    CHECK(drain(bottleneck, kSecond).size() == 2);
    CHECK(records[2 * 5].dropped[static_cast<int>(Drop::outage)].bytes == 1000);
}

TEST_CASE("A link that has stopped delivers no more packets") {
    PacketPool pool;
    const Schedule schedule({{0, 12e6, 0, 0}}, 10 * kMs, End::stop);
    Bottleneck bottleneck(schedule, 0, kQueue, Outage::hold, nullptr, 0);
    for (int i = 0; i < 20; ++i) bottleneck.push(0, plain(pool, 1500));
    CHECK(drain(bottleneck, 1000 * kSecond).size() == 10);
    CHECK(bottleneck.next() == kNever);
}

TEST_CASE("An unlimited rate takes no time") {
    PacketPool pool;
    const Schedule schedule = constant(kInf);
    Bottleneck bottleneck(schedule, 0, bytes(3000), Outage::hold, nullptr, 0);
    bottleneck.push(7, super(pool, 60000));
    Departure departure;
    CHECK(bottleneck.pop(7, departure));
    CHECK(departure.time == 7);
    CHECK(departure.count == 42);
    CHECK(departure.packet->ip_bytes(0, 42) == 60000 + 42 * 52);
}

TEST_CASE("A queue with a limit in bytes takes the segments that fit") {
    PacketPool pool;
    std::vector<Record> records(400);
    Bins bins(records, 0);
    const Schedule schedule = constant(12e6);
    Bottleneck bottleneck(schedule, 0, bytes(15'000), Outage::hold, &bins, 0);
    bottleneck.push(0, super(pool, 8 * 1448));
    CHECK(bottleneck.queue_bytes() == 12'000);
    bottleneck.push(0, super(pool, 4 * 1448 + 100));
    CHECK(bottleneck.queue_bytes() == 15'000);
    bottleneck.push(0, plain(pool, 40));
    const Count& dropped = records[0].dropped[static_cast<int>(Drop::queue)];
    CHECK(dropped.packets == 3 + 1);
    CHECK(dropped.bytes == 2 * 1500 + 152 + 40);
    CHECK(records[0].queue_max_bytes == 15'000);
    CHECK(drain(bottleneck, kSecond).size() == 10);
}

TEST_CASE("A bin is backlogged if the queue was never empty in it") {
    PacketPool pool;
    std::vector<Record> records(400);
    Bins bins(records, 0);
    const Schedule schedule = constant(12e6);  // a packet a millisecond
    Bottleneck bottleneck(schedule, 0, kQueue, Outage::hold, &bins, 0);
    for (int i = 0; i < 30; ++i) bottleneck.push(5 * kMs, plain(pool, 1500));
    drain(bottleneck, kSecond);
    CHECK(records[0].backlogged == 0);
    CHECK(records[2].backlogged == 1);
    CHECK(records[4].backlogged == 1);
    CHECK(records[6].backlogged == 0);
    CHECK(records[0].queue_bytes == 26 * 1500);
    CHECK(records[2].queue_bytes == 16 * 1500);
    CHECK(records[6].queue_bytes == 0);
}

/// With any pattern, packets and times of calls: at most the integral and one packet departs, and all of the integral
/// while packets wait.
TEST_CASE("Departures follow the integral of the rate") {
    std::srand(7);
    for (int round = 0; round < 200; ++round) {
        PacketPool pool;
        std::vector<Step> steps;
        Time start = 0;
        for (int i = 0; i < 50; ++i) {
            const int kind = std::rand() % 4;
            steps.push_back({start,
                             kind == 0   ? 0.0
                             : kind == 1 ? 1e3 * (std::rand() % 1000)
                                         : 1e6 * (std::rand() % 1000),
                             0, 0});
            start += 1 + std::rand() % (2 * kMs);
        }
        const Schedule schedule(steps, start, round % 2 == 0 ? End::loop : End::hold);
        auto integral_bits = [&](Time from, Time to) {
            Cursor cursor(schedule, 0);
            double bits = 0;
            while (from < to) {
                const Span& span = cursor.at(from);
                const Time end = std::min(to, span.end);
                bits += span.rate_bps * static_cast<double>(end - from) / 1e9;
                from = end;
            }
            return bits;
        };
        Bottleneck bottleneck(schedule, 0, bytes(1'000'000'000), Outage::hold, nullptr, 0);
        for (int i = 0; i < 300; ++i) {
            bottleneck.push(
                0, std::rand() % 2 ? plain(pool, 40 + std::rand() % 1460) : super(pool, 1 + std::rand() % 60000));
        }
        const Time horizon = 200 * kMs;
        double sent_bits = 0;
        Time now = 0, last = 0;
        while (now < horizon) {
            now += 1 + std::rand() % (3 * kMs);  // lateness makes no difference
            for (const auto& [time, bytes] : drain(bottleneck, now)) {
                sent_bits += 8.0 * bytes;
                CHECK(time >= last);
                CHECK(time <= now);
                last = time;
                if (std::rand() % 50 == 0) CHECK(sent_bits == Near(integral_bits(0, time), 2.0 + 1e-6 * sent_bits));
            }
            if (bottleneck.queue_bytes() == 0) break;
            const double allowed_bits = integral_bits(0, now);
            CHECK(sent_bits <= allowed_bits + 1);
            CHECK(sent_bits >= allowed_bits - 12000 - 1);
        }
    }
}

}  // namespace
