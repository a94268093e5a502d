#include "segment.h"

#include <doctest/doctest.h>

#include <random>

#include "packets.h"

using namespace mmwemu::proxy;
using tests::Header;
using tests::make;
using tests::Packet;

TEST_CASE("A segment is read as it was written, over IPv4 and IPv6") {
    for (const bool ipv6 : {false, true}) {
        Header header{true, 4'000'000'000, 77, 500, Segment::kSyn | Segment::kAck, 7, 123, 456};
        header.ipv6 = ipv6;
        const Packet packet = make(header, 10);
        REQUIRE(tests::is_sound(packet));
        const auto found = parse(packet);
        REQUIRE(found);
        CHECK(found->seq == 4'000'000'000);
        CHECK(found->ack == 77);
        CHECK(found->window == 500);
        CHECK(found->payload_bytes == 10);
        CHECK(found->header_bytes + 10 == packet.size());
        CHECK(found->end() == 4'000'000'011);
        CHECK(*found->window_scale == 7);
        CHECK(found->timestamps->value == 123);
        CHECK(found->timestamps->echo == 456);
        CHECK(found->from.port == 80);
        CHECK(found->to.port == 5000);
        CHECK(found->from != found->to);
    }
}

TEST_CASE("What is cut off, contradicts itself, or is not TCP is no segment") {
    const Packet whole = make({}, 0);
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK(!parse(Bytes(whole).first(size)));
    const auto broken = [&](std::size_t at, std::uint8_t value) {
        Packet packet = whole;
        packet[at] = value;
        return !parse(packet);
    };
    CHECK(broken(0, 0x44));        // an IP header of 16 bytes
    CHECK(broken(0, 0x55));        // version 5
    CHECK(broken(3, 30));          // shorter than its headers
    CHECK(broken(6, 0x20));        // a fragment with more to come
    CHECK(broken(9, 17));          // UDP
    CHECK(broken(20 + 12, 0x40));  // a TCP header of 16 bytes
    CHECK(broken(20 + 23, 11));    // an option longer than its room
    CHECK(broken(20 + 23, 1));     // an option without room for its length
}

TEST_CASE("Unknown options are skipped") {
    Packet packet = make({}, 0);
    packet[20 + 20] = 254;  // where two no-operations were: an option of two bytes
    packet[20 + 21] = 2;
    REQUIRE(parse(packet));
    CHECK(parse(packet)->timestamps);
}

TEST_CASE("No bytes whatever make reading go wrong") {
    std::mt19937 random(1);
    for (int i = 0; i < 200'000; ++i) {
        Packet packet = make({}, 0);
        for (std::size_t n = random() % 8; n > 0; --n) {
            packet[random() % packet.size()] = static_cast<std::uint8_t>(random());
        }
        packet.resize(random() % (packet.size() + 1));
        if (const auto found = parse(packet)) CHECK(found->header_bytes <= packet.size());
    }
}

TEST_CASE("A new window changes the window and its checksum alone") {
    std::mt19937 random(2);
    for (int i = 0; i < 10'000; ++i) {
        Header header{false, static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
                      static_cast<std::uint16_t>(random())};
        header.ipv6 = i % 2 == 0;
        const auto window = static_cast<std::uint16_t>(random());
        Packet packet = make(header, random() % 4);
        set_window(packet, window, true);
        REQUIRE(tests::is_sound(packet));
        header.window = window;
        CHECK(parse(packet)->window == window);
        set_window(packet, 0, false);
        CHECK(parse(packet)->window == 0);
    }
}

TEST_CASE("Headers without their payload are a sound packet") {
    for (const bool ipv6 : {false, true}) {
        Header header{false, 5, 6, 7};
        header.ipv6 = ipv6;
        const Packet packet = without_payload(make(header, 33));
        CHECK(tests::is_sound(packet));
        CHECK(packet == make(header, 0));
    }
}
