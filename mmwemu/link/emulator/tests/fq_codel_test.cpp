#include "core/fq_codel.h"

#include <map>

#include "core/alter.h"
#include "core/bottleneck.h"
#include "core/flow.h"
#include "tests/tcp.h"

namespace {

using namespace testing;

/// A packet of the flow to `port`.
PacketRef of_flow(PacketPool& pool, std::uint16_t port, std::size_t payload_bytes) {
    PacketRef packet = tcp(pool, 1, payload_bytes);
    store16(packet->data() + kIp + 2, port);
    return packet;
}

std::uint16_t port_of(const PacketRef& packet) {
    return load16(packet->data() + kIp + 2);
}

QueueSettings settings(std::uint64_t bytes, std::uint64_t packets = 0, bool ecn = false) {
    return {Aqm::fq_codel, {bytes, packets}, ecn, 5};
}

void push(Queue& queue, Time now, PacketRef packet) {
    const std::uint32_t segments = packet->segments;
    queue.push(now, {std::move(packet), 0, segments, 1, now});
}

/// The port of the next packet; 0 if the queue is empty.
std::uint16_t next_port(Queue& queue, Time now) {
    Item item;
    if (!queue.pop(now, false, item)) return 0;
    queue.left(item.bytes(), item.count());
    return port_of(item.packet);
}

TEST_CASE("All packets of a flow have the same hash, and other flows have other hashes") {
    PacketPool pool;
    const auto hash = [&](std::uint16_t port, std::uint64_t seed) {
        return flow_hash(*of_flow(pool, port, 100), seed) % FqCodelQueue::kFlows;
    };
    CHECK(flow_hash(*of_flow(pool, 80, 100), 1) == flow_hash(*of_flow(pool, 80, 1448), 1));
    int together = 0, apart = 0;
    for (std::uint16_t port = 1; port < 20'000; ++port) {
        if (hash(port, 1) != hash(0, 1)) continue;
        ++together;
        if (hash(port, 2) != hash(0, 2)) ++apart;
    }
    CHECK(together == Near(20'000 / 1024, 15));
    CHECK(together - apart <= 2);
    // Only the first fragment has ports; and a header that is cut off must not be read beyond its end.
    PacketRef fragment = of_flow(pool, 80, 100), other = of_flow(pool, 81, 100);
    for (const PacketRef& packet : {fragment, other}) store16(packet->data() + kIp4Fragment, 0x2000);
    CHECK(flow_hash(*fragment, 1) == flow_hash(*other, 1));
    CHECK(flow_hash(*plain(pool, 3), 1) == flow_hash(*plain(pool, 10), 1));
}

TEST_CASE("Flows get equal shares of bytes, not of packets") {
    PacketPool pool;
    const auto queue = make_queue(settings(10'000'000), nullptr, 0);
    for (int i = 0; i < 300; ++i) {
        push(*queue, 0, of_flow(pool, 1, 1448));
        push(*queue, 0, of_flow(pool, 2, 448));
    }
    std::map<std::uint16_t, int> out_bytes;
    for (int i = 0; i < 200; ++i) {
        Item item;
        CHECK(queue->pop(0, false, item));
        out_bytes[port_of(item.packet)] += static_cast<int>(item.bytes());
    }
    CHECK(out_bytes[1] == Near(out_bytes[2], 1500));
}

TEST_CASE("The segments of a super-packet are served in turns and in order") {
    PacketPool pool;
    const auto queue = make_queue(settings(10'000'000), nullptr, 0);
    push(*queue, 0, of_flow(pool, 1, 40 * 1448));
    push(*queue, 0, of_flow(pool, 2, 40 * 1448));
    std::map<std::uint16_t, std::uint32_t> next;
    for (int i = 0; i < 80; ++i) {
        Item item;
        CHECK(queue->pop(0, false, item));
        CHECK(item.count() == 1);
        std::uint32_t& expected = next[port_of(item.packet)];
        CHECK(item.first == expected++);
        CHECK(expected <= static_cast<std::uint32_t>(i) / 2 + 1);
    }
    CHECK(queue->empty());
}

TEST_CASE("A new flow goes first and cannot starve the old ones") {
    PacketPool pool;
    const auto queue = make_queue(settings(10'000'000), nullptr, 0);
    for (int i = 0; i < 100; ++i) push(*queue, 0, of_flow(pool, 1, 1448));
    CHECK(next_port(*queue, 0) == 1);
    CHECK(next_port(*queue, 0) == 1);
    push(*queue, 0, of_flow(pool, 2, 100));
    CHECK(next_port(*queue, 0) == 2);
    // It returns each time it has been served: now it takes its turn.
    int others = 0;
    for (int i = 0; i < 20; ++i) {
        push(*queue, 0, of_flow(pool, 2, 1448));
        if (next_port(*queue, 0) == 1) ++others;
    }
    CHECK(others == Near(10, 1));
}

TEST_CASE("A full queue drops from the head of the longest flow") {
    PacketPool pool;
    std::vector<Record> records(10);
    Bins bins(records, 0);
    const auto queue = make_queue(settings(0, 40), &bins, 0);
    for (std::uint16_t port = 1; port <= 5; ++port) push(*queue, 0, of_flow(pool, port, 100));
    push(*queue, 0, of_flow(pool, 9, 36 * 1448));
    // 41 packets arrived; the first half of the longest flow's 36 was dropped.
    CHECK(queue->held().packets == 23);
    CHECK(records[0].dropped[static_cast<std::size_t>(Drop::queue)].packets == 18);
    for (std::uint16_t port = 1; port <= 5; ++port) CHECK(next_port(*queue, 0) == port);
    Item item;
    CHECK(queue->pop(0, false, item));
    CHECK(item.first == 18);
    // Not more than 64 at once.
    const auto large = make_queue(settings(0, 600), &bins, 0);
    for (int i = 0; i < 601; ++i) push(*large, 0, of_flow(pool, 9, 100));
    CHECK(large->held().packets == 601 - 64);
}

TEST_CASE("A sparse flow beside a greedy one neither waits nor loses packets") {
    for (const bool ecn : {false, true}) {
        PacketPool pool;
        std::vector<Record> records(4000);
        Bins bins(records, 0);
        const Schedule schedule = constant(12e6);  // a packet of 1500 bytes a millisecond
        Bottleneck bottleneck(schedule, 0, settings(1'500'000, 0, ecn), Outage::hold, &bins, 0);
        std::map<std::uint64_t, Time> sent_at;
        Time longest = 0, greedy_longest = 0;
        int came = 0;
        std::uint64_t number = 0;
        Departure departure;
        const auto drain = [&](Time until) {
            while (bottleneck.pop(until, departure)) {
                const Time wait = departure.time - sent_at[departure.number];
                const bool sparse = port_of(departure.packet) == 2;
                came += sparse ? 1 : 0;
                (sparse ? longest : greedy_longest) = std::max(sparse ? longest : greedy_longest, wait);
            }
        };
        for (Time now = 0; now < 10 * kSecond; now += kMs / 2) {
            drain(now);
            PacketRef packet = of_flow(pool, 1, 1448);
            if (ecn) packet->data()[1] = std::byte{0x02};
            sent_at[++number] = now;
            bottleneck.push(now, std::move(packet));
            if (now % (20 * kMs) == 0) {
                sent_at[++number] = now;
                bottleneck.push(now, of_flow(pool, 2, 48));
            }
        }
        drain(20 * kSecond);
        std::uint64_t dropped = 0, marked = 0;
        for (const Record& record : records) {
            dropped += record.dropped[static_cast<std::size_t>(Drop::aqm)].packets;
            marked += record.noted[static_cast<std::size_t>(Note::marked)].packets;
        }
        CHECK(came == 500);
        CHECK(longest < 3 * kMs);
        CHECK(greedy_longest > 50 * kMs);
        CHECK((ecn ? marked > 100 && dropped == 0 : marked == 0 && dropped > 100));
    }
}

TEST_CASE("FQ-CoDel passes whole super-packets at an unlimited rate") {
    PacketPool pool;
    const auto queue = make_queue(settings(10'000'000), nullptr, 0);
    push(*queue, 0, of_flow(pool, 1, 40 * 1448));
    Item item;
    CHECK(queue->pop(0, true, item));
    CHECK(item.count() == 40);
    CHECK(queue->empty());
    CHECK(!queue->pop(0, true, item));
}

}  // namespace
