#include "core/alter.h"

#include "tests/tcp.h"

namespace {

using namespace testing;

/// The one's complement sum over TCP or UDP and its pseudo-header; 0xffff is right.
std::uint16_t transport_sum(const Packet& packet) {
    std::vector<std::byte> bytes(packet.data() + kIp, packet.data() + packet.length);
    std::uint32_t pseudo = load8(packet.data() + kIp4Protocol) + static_cast<std::uint32_t>(bytes.size());
    for (std::size_t i = 0; i < 8; i += 2) pseudo += load16(packet.data() + kIp4Addresses + i);
    if (bytes.size() % 2 == 1) bytes.push_back(std::byte{0});
    return ones_sum(bytes.data(), bytes.size(), pseudo);
}

TEST_CASE("A segment becomes a packet of its own") {
    PacketPool pool;
    const PacketRef packet = tcp(pool, 1000, 3 * 1448 + 7);
    for (std::uint32_t i = 0; i < 4; ++i) {
        const PacketRef single = extract(packet, i);
        CHECK(single->segments == 1);
        CHECK(single->length == packet->ip_bytes(i, 1));
        CHECK(single->header_bytes == kHeaders);
        CHECK(single->ip_bytes(0, 1) == packet->ip_bytes(i, 1));
        CHECK(load32(single->data() + kIp + kTcpSequence) == 1000 + i * 1448);
        CHECK(ones_sum(single->data(), kIp) == 0xffff);
        CHECK(load8(single->data() + kHeaders) == ((1000 + i * 1448) & 0xff));
    }
}

TEST_CASE("A bit error flips one bit and breaks the checksum") {
    PacketPool pool;
    for (const std::size_t payload_bytes : {0, 5, 1448, 5000}) {
        const PacketRef packet = tcp(pool, 1000, payload_bytes);
        // As offload hands it over: the sum of the pseudo-header stands where the checksum goes.
        store16(packet->data() + kIp + kTcpChecksum, 0);
        const PacketRef intact = damage(packet, 0, {});
        for (std::uint32_t bit = 8 * kIp; bit < 8 * intact->length; bit += 37) {
            const PacketRef broken = damage(packet, 0, std::vector<std::uint32_t>{bit});
            REQUIRE(broken);
            CHECK(broken->vnet.flags == 0);
            CHECK(broken->length == intact->length);
            CHECK(transport_sum(*broken) != transport_sum(*intact));
            int different = 0;
            for (std::uint32_t i = 0; i < broken->length; ++i) {
                different += __builtin_popcount(load8(broken->data() + i) ^ load8(intact->data() + i));
            }
            CHECK(different == 1);
        }
        if (packet->header_bytes > 0) CHECK(transport_sum(*intact) == 0xffff);
    }
}

TEST_CASE("A packet with a bit error in its IP header reaches nobody") {
    PacketPool pool;
    CHECK(!damage(tcp(pool, 1, 100), 0, std::vector<std::uint32_t>{8 * kIp - 1, 8 * kIp + 5}));
}

}  // namespace
