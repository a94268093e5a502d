#include <array>
#include <map>

#include "core/bottleneck.h"
#include "core/headers.h"
#include "tests/tcp.h"

namespace {

using namespace testing;

constexpr std::array kAqms = {Aqm::drop_tail, Aqm::drop_head, Aqm::codel, Aqm::fq_codel, Aqm::pie};

/// A packet to or from a client, in segments of 1448 bytes of payload.
PacketRef of(PacketPool& pool, std::uint8_t client, std::size_t payload_bytes, Clients clients) {
    PacketRef packet = tcp(pool, 1, payload_bytes);
    const std::size_t address = kIp4Addresses + (clients == Clients::by_destination ? 4 : 0);
    store32(packet->data() + address, 0x0a4d0200U + client);
    return packet;
}

std::uint8_t client_of(const PacketRef& packet, Clients clients) {
    return load8(packet->data() + kIp4Addresses + (clients == Clients::by_destination ? 7 : 3));
}

QueueSettings settings(Limit limit, Clients clients = Clients::by_destination, Aqm aqm = Aqm::drop_tail) {
    return {aqm, limit, false, 5, clients};
}

void push(Queue& queue, Time now, PacketRef packet) {
    const std::uint32_t segments = packet->segments;
    queue.push(now, {std::move(packet), 0, segments, 1, now});
}

/// The client of the next packet; 0 if the queue is empty.
std::uint8_t next(Queue& queue) {
    Item item;
    if (!queue.pop(0, false, item)) return 0;
    queue.left(item.bytes(), item.count());
    return client_of(item.packet, Clients::by_destination);
}

TEST_CASE("Clients take turns in bytes, in whichever order their packets came") {
    for (const Clients clients : {Clients::by_destination, Clients::by_source}) {
        PacketPool pool;
        const auto queue = make_queue(settings({10'000'000, 0}, clients), nullptr, 0);
        push(*queue, 0, of(pool, 1, 40 * 1448, clients));
        push(*queue, 0, of(pool, 1, 40 * 1448, clients));
        for (int i = 0; i < 300; ++i) push(*queue, 0, of(pool, 2, 448, clients));
        for (int i = 0; i < 120; ++i) push(*queue, 0, of(pool, 250, 1448, clients));
        std::map<std::uint8_t, std::int64_t> out_bytes;
        for (int i = 0; i < 120; ++i) {
            Item item;
            CHECK(queue->pop(0, false, item));
            CHECK(item.count() == 1);
            out_bytes[client_of(item.packet, clients)] += item.bytes();
            queue->left(item.bytes(), item.count());
        }
        REQUIRE(out_bytes.size() == 3);
        CHECK(out_bytes[1] == Near(out_bytes[2], 1500));
        CHECK(out_bytes[1] == Near(out_bytes[250], 1500));
    }
}

TEST_CASE("A client that empties its queue keeps its debt and gains nothing") {
    PacketPool pool;
    const auto queue = make_queue(settings({10'000'000, 0}), nullptr, 0);
    for (int i = 0; i < 400; ++i) push(*queue, 0, of(pool, 1, 1448, Clients::by_destination));
    // Client 2 has 100 bytes and 1500 in turns, and never more than these wait.
    std::map<std::uint8_t, int> packets;
    std::int64_t bytes_of_2 = 0;
    bool small = true, waits = false;
    for (int i = 0; i < 300; ++i) {
        if (!waits) {
            push(*queue, 0, of(pool, 2, small ? 48 : 1448, Clients::by_destination));
            small = !small;
            waits = true;
        }
        const std::uint8_t client = next(*queue);
        ++packets[client];
        if (client == 2) {
            bytes_of_2 += small ? 1500 : 100;
            waits = false;
        }
    }
    CHECK(packets[1] + packets[2] == 300);
    CHECK(bytes_of_2 <= packets[1] * 1500 + 1500);
    CHECK(packets[2] > 100);
}

TEST_CASE("Each client has the whole limit") {
    PacketPool pool;
    std::vector<Record> records(10);
    Bins bins(records, 0);
    const auto queue = make_queue(settings({0, 20}), &bins, 0);
    for (int i = 0; i < 50; ++i) push(*queue, 0, of(pool, 1, 100, Clients::by_destination));
    for (int i = 0; i < 20; ++i) push(*queue, 0, of(pool, 2, 100, Clients::by_destination));
    CHECK(queue->held().packets == 40);
    CHECK(queue->held().bytes == 40 * 152);
    CHECK(records[0].dropped[static_cast<std::size_t>(Drop::queue)].packets == 30);
    for (int i = 0; i < 40; ++i) CHECK(next(*queue) != 0);
    CHECK(next(*queue) == 0);
    CHECK(queue->empty());
    CHECK(queue->held().packets == 0);
    CHECK(queue->held().bytes == 0);
}

TEST_CASE("With every AQM, each packet is counted as delivered or dropped") {
    for (const Aqm aqm : kAqms) {
        PacketPool pool;
        std::vector<Record> records(2000);
        Bins bins(records, 0);
        // Slow, then without limit, so that packets pass the queue.
        const Schedule schedule({{0, 12e6, 0, 0}, {3 * kSecond, kInf, 0, 0}}, 10 * kSecond, End::hold);
        Bottleneck bottleneck(schedule, 0, settings({100'000, 0}, Clients::by_destination, aqm), Outage::hold, &bins,
                              0);
        std::map<std::uint8_t, std::uint64_t> out_packets;
        std::uint64_t in = 0, out = 0;
        Departure departure;
        const auto drain = [&](Time until) {
            while (bottleneck.pop(until, departure)) {
                out += departure.count;
                if (departure.time < 3 * kSecond) {
                    out_packets[client_of(departure.packet, Clients::by_destination)] += departure.count;
                }
            }
        };
        for (Time now = 0; now < 4 * kSecond; now += kMs) {
            drain(now);
            for (const auto& [client, count] : {std::pair{1, 3}, {2, 1}}) {
                for (int i = 0; i < count; ++i, ++in) {
                    bottleneck.push(now, of(pool, static_cast<std::uint8_t>(client), 1448, Clients::by_destination));
                }
            }
        }
        drain(10 * kSecond);
        std::uint64_t dropped = 0;
        for (const Record& record : records) {
            for (const Count& count : record.dropped) dropped += count.packets;
        }
        CHECK(in == out + dropped);
        CHECK(dropped > 3000);
        CHECK(bottleneck.queue_bytes() == 0);
        CHECK(out_packets[1] == Near(1500, 60));
        CHECK(out_packets[2] == Near(1500, 60));
    }
}

TEST_CASE("Packets too short for an address still belong to a client") {
    PacketPool pool;
    const auto queue = make_queue(settings({10'000, 0}), nullptr, 0);
    push(*queue, 0, plain(pool, 3));
    Item item;
    CHECK(queue->pop(0, true, item));
    CHECK(item.bytes() == 3);
    CHECK(queue->empty());
}

}  // namespace
