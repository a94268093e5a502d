#include "core/queue.h"

#include "core/alter.h"
#include "core/bottleneck.h"
#include "tests/tcp.h"

namespace {

using namespace testing;

QueueSettings of(Aqm aqm, std::uint64_t bytes, std::uint64_t packets = 0, bool ecn = false) {
    return {aqm, {bytes, packets}, ecn, 5};
}

/// The results of a sender that offers a constant rate for some time.
struct Load {
    std::vector<Record> records = std::vector<Record>(20'000);
    std::vector<Time> waits;       // of each packet that departed
    std::vector<Time> departures;  // when
    std::uint64_t sent = 0;

    std::uint64_t dropped(Drop cause) const {
        std::uint64_t sum = 0;
        for (const Record& record : records) sum += record.dropped[static_cast<std::size_t>(cause)].packets;
        return sum;
    }
    std::uint64_t marked() const {
        std::uint64_t sum = 0;
        for (const Record& record : records) sum += record.noted[static_cast<std::size_t>(Note::marked)].packets;
        return sum;
    }
    double mean_wait_ms(Time from) const {
        double sum = 0;
        int count = 0;
        for (std::size_t i = 0; i < waits.size(); ++i) {
            if (departures[i] < from) continue;
            sum += static_cast<double>(waits[i]) / kMs;
            ++count;
        }
        return sum / count;
    }
};

/// Offer packets of 1500 bytes to a link of 12 Mbit/s, one every `pause`; ECT(0) where `ect`.
Load offer(const QueueSettings& settings, Time pause, Time duration, bool ect = false) {
    Load load;
    PacketPool pool;
    Bins bins(load.records, 0);
    const Schedule schedule = constant(12e6);
    Bottleneck bottleneck(schedule, 0, settings, Outage::hold, &bins, 0);
    std::vector<Time> sent_at{0};
    Departure departure;
    auto drain = [&](Time until) {
        while (bottleneck.pop(until, departure)) {
            load.waits.push_back(departure.time - sent_at[departure.number]);
            load.departures.push_back(departure.time);
        }
    };
    for (Time now = 0; now < duration; now += pause) {
        drain(now);
        PacketRef packet = tcp(pool, 1, 1448);
        if (ect) packet->data()[1] = std::byte{0x02};
        sent_at.push_back(now);
        ++load.sent;
        bottleneck.push(now, std::move(packet));
    }
    drain(duration + 1000 * kSecond);
    CHECK(load.sent == load.waits.size() + load.dropped(Drop::queue) + load.dropped(Drop::aqm));
    return load;
}

TEST_CASE("A limit may count packets") {
    PacketPool pool;
    for (const Aqm aqm : {Aqm::drop_tail, Aqm::codel, Aqm::pie}) {
        auto queue = make_queue(of(aqm, 0, 10), nullptr, 0);
        queue->push(0, {super(pool, 6 * 1448), 0, 6, 1, 0});
        queue->push(0, {super(pool, 6 * 1448), 0, 6, 7, 0});
        CHECK(queue->held().packets == 10);
        CHECK(queue->held().bytes == 15'000);
    }
}

TEST_CASE("Drop-head drops the packets that have waited longest") {
    PacketPool pool;
    std::vector<Record> records(10);
    Bins bins(records, 0);
    auto queue = make_queue(of(Aqm::drop_head, 6000), &bins, 0);
    for (std::uint64_t i = 1; i <= 3; ++i) queue->push(0, {super(pool, 2 * 1448), 0, 2, 2 * i - 1, 0});
    CHECK(queue->held().packets == 4);
    CHECK(records[0].dropped[0].packets == 2);
    Item item;
    for (std::uint64_t number = 3; number <= 6; ++number) {
        CHECK(queue->pop(0, false, item));
        CHECK(item.count() == 1);
        CHECK(item.number + item.first == number);
        queue->left(item.bytes(), 1);
    }
    CHECK(queue->empty());
    CHECK(!queue->pop(0, false, item));
    CHECK(queue->held().bytes == 0);
    // If the segment in service fills the queue, arriving packets are dropped.
    auto small = make_queue(of(Aqm::drop_head, 1500), nullptr, 0);
    small->push(0, {plain(pool, 1500), 0, 1, 1, 0});
    CHECK(small->pop(0, false, item));
    small->push(0, {plain(pool, 1500), 0, 1, 2, 0});
    CHECK(small->empty());
    CHECK(small->held().packets == 1);
}

TEST_CASE("Drop-head and drop-tail lose equally many packets; with drop-head none waits longer") {
    const Load tail = offer(of(Aqm::drop_tail, 150'000), 500'000, kSecond);
    const Load head = offer(of(Aqm::drop_head, 150'000), 500'000, kSecond);
    CHECK(tail.dropped(Drop::queue) == Near(head.dropped(Drop::queue), 2));
    CHECK(head.waits.back() <= 101 * kMs);
    CHECK(tail.waits.back() >= 99 * kMs);
}

TEST_CASE("CoDel leaves a short queue and a burst alone") {
    CHECK(offer(of(Aqm::codel, 1'500'000), kMs, 2 * kSecond).dropped(Drop::aqm) == 0);
    CHECK(offer(of(Aqm::codel, 1'500'000), kMs / 100, kMs).dropped(Drop::aqm) == 0);  // 100 packets, 100 ms
}

TEST_CASE("CoDel first drops after an interval and then by its control law") {
    // Twice the rate: the wait passes 5 ms some 10 ms on, so the first drop is 100 ms later, the next 100 / sqrt(n) ms
    // after each other.
    const Load load = offer(of(Aqm::codel, 100'000'000), 500'000, 2 * kSecond);
    std::vector<std::size_t> bins;
    for (std::size_t i = 0; i < load.records.size(); i += 2) {
        for (std::uint64_t k = 0; k < load.records[i].dropped[static_cast<std::size_t>(Drop::aqm)].packets; ++k) {
            bins.push_back(i / 2);
        }
    }
    REQUIRE(bins.size() > 100);
    CHECK(bins[0] == 11);
    double expected = 0.112;
    for (std::size_t n = 1; n < 12; ++n) {
        expected += 0.1 / std::sqrt(static_cast<double>(n));
        CHECK(static_cast<double>(bins[n]) / 100 == Near(expected, 0.015));
    }
}

TEST_CASE("CoDel marks packets that support ECN instead of dropping them") {
    const Load marks = offer(of(Aqm::codel, 100'000'000, 0, true), 900'000, 2 * kSecond, true);
    CHECK(marks.marked() > 10);
    CHECK(marks.dropped(Drop::aqm) == 0);
    const Load cannot = offer(of(Aqm::codel, 100'000'000, 0, true), 900'000, 2 * kSecond, false);
    CHECK(cannot.marked() == 0);
    CHECK(cannot.dropped(Drop::aqm) > 10);
}

TEST_CASE("PIE holds the delay near its reference") {
    // A sender at 1.25 times the rate does not slow down: a fifth must be dropped.
    const Load load = offer(of(Aqm::pie, 10'000'000), 800'000, 60 * kSecond);
    CHECK(load.mean_wait_ms(30 * kSecond) == Near(16, 5));
    CHECK(static_cast<double>(load.dropped(Drop::aqm)) / static_cast<double>(load.sent) == Near(0.2, 0.02));
    CHECK(load.dropped(Drop::queue) == 0);
}

TEST_CASE("PIE lets a burst pass, and a load below the rate") {
    CHECK(offer(of(Aqm::pie, 1'500'000), kMs / 10, 12 * kMs).dropped(Drop::aqm) == 0);  // 120 packets
    CHECK(offer(of(Aqm::pie, 1'500'000), 1'050'000, 5 * kSecond).dropped(Drop::aqm) == 0);
}

TEST_CASE("PIE marks while the probability is small") {
    const Load load = offer(of(Aqm::pie, 10'000'000, 0, true), 950'000, 20 * kSecond, true);
    CHECK(load.marked() > 10);
}

TEST_CASE("A mark is in the IP header, whose checksum stays right") {
    PacketPool pool;
    PacketRef packet = tcp(pool, 1000, 3 * 1448);
    CHECK(!may_be_marked(*packet));
    packet->data()[1] = std::byte{0x01};
    CHECK(may_be_marked(*packet));
    const PacketRef single = marked(packet, 1);
    CHECK((load8(single->data() + 1) & 3) == 3);
    CHECK(ones_sum(single->data(), kIp) == 0xffff);
    CHECK(load8(packet->data() + 1) == 1);
    CHECK(load32(single->data() + kIp + kTcpSequence) == 2448);
}

}  // namespace
