#include "core/train.h"

#include <cstring>

#include "core/headers.h"
#include "core/segmentation.h"
#include "tests/helpers.h"
#include "tests/tcp.h"

namespace {

using namespace testing;

/// The bytes of a train as written.
std::vector<std::byte> bytes_of(Train& train) {
    train.finish();
    std::vector<std::byte> bytes(train.header().begin(), train.header().end());
    for (const auto& piece : train.pieces()) bytes.insert(bytes.end(), piece.begin(), piece.end());
    return bytes;
}

/// Check all that a receiver checks: lengths, both checksums, and the payload against its sequence numbers.
void check_whole(const std::vector<std::byte>& packet) {
    CHECK(load16(packet.data() + kIp4Length) == packet.size());
    CHECK(ones_sum(packet.data(), kIp) == 0xffff);
    // The partial checksum is the sum of the pseudo-header; the checksum that offload fills in must then verify.
    const auto tcp_bytes = static_cast<std::uint32_t>(packet.size() - kIp);
    std::uint32_t pseudo = kProtocolTcp + tcp_bytes;
    for (std::size_t i = 0; i < 8; i += 2) pseudo += load16(packet.data() + kIp4Addresses + i);
    CHECK(load16(packet.data() + kIp + kTcpChecksum) == ones_sum(nullptr, 0, pseudo));
    std::vector<std::byte> filled(packet.begin() + kIp, packet.end());
    if (filled.size() % 2 == 1) filled.push_back(std::byte{0});
    store16(filled.data() + kTcpChecksum, static_cast<std::uint16_t>(~ones_sum(filled.data(), filled.size())));
    CHECK(ones_sum(filled.data(), filled.size(), pseudo) == 0xffff);
    const std::uint32_t sequence = load32(packet.data() + kIp + kTcpSequence);
    for (std::size_t i = kHeaders; i < packet.size(); ++i) {
        if (packet[i] != static_cast<std::byte>(sequence + i - kHeaders)) {
            CHECK(!"payload belongs to its sequence number");
            return;
        }
    }
}

TEST_CASE("The segments of a super-packet are found") {
    PacketPool pool;
    const PacketRef packet = tcp(pool, 1000, 10 * 1448 + 7);
    CHECK(packet->segments == 11);
    CHECK(packet->header_bytes == kHeaders);
    CHECK(packet->ip_bytes(0, 1) == 1500);
    CHECK(packet->ip_bytes(10, 1) == kHeaders + 7);
    CHECK(packet->ip_bytes(0, 11) == 11 * kHeaders + 10 * 1448 + 7);
}

TEST_CASE("A super-packet that is not TCP is refused") {
    PacketPool pool;
    PacketRef packet = tcp(pool, 1, 3000);
    packet->vnet.gso_type = 3;  // UDP
    CHECK(!find_segments(*packet));
    packet->vnet.gso_type = VnetHeader::kGsoTcp4;
    packet->vnet.gso_bytes = 0;
    CHECK(!find_segments(*packet));
    PacketRef odd = plain(pool, 10);
    CHECK(find_segments(*odd));
    CHECK(odd->segments == 1);
    CHECK(odd->header_bytes == 0);
}

TEST_CASE("Every cut of a super-packet is a correct packet") {
    PacketPool pool;
    const std::uint8_t flags = 0x10 | kPsh | kFin | kCwr;
    const PacketRef packet = tcp(pool, 0xfffffff0, 10 * 1448 + 7, flags);
    for (std::uint32_t first = 0; first < 11; ++first) {
        for (std::uint32_t count = 1; first + count <= 11; ++count) {
            Train train;
            train.set(*packet, first, count);
            const auto bytes = bytes_of(train);
            CHECK(bytes.size() == kHeaders + packet->payload_bytes(first, count));
            check_whole(bytes);
            CHECK(load16(bytes.data() + kIp4Id) == 500 + first);
            const std::uint8_t expected =
                static_cast<std::uint8_t>(0x10 | (first == 0 ? kCwr : 0) | (first + count == 11 ? kPsh | kFin : 0));
            CHECK(load8(bytes.data() + kIp + kTcpFlags) == expected);
            const VnetHeader& vnet = train.finish();
            CHECK(vnet.gso_type == (count == 1 ? VnetHeader::kGsoNone : VnetHeader::kGsoTcp4));
            CHECK(vnet.gso_bytes == (count == 1 ? 0 : 1448));
            CHECK(vnet.header_bytes == kHeaders);
        }
    }
}

TEST_CASE("Packets that continue a TCP stream are joined") {
    PacketPool pool;
    const PacketRef a = tcp(pool, 1000, 1448);
    const PacketRef b = tcp(pool, 1000 + 1448, 3 * 1448, 0x10 | kPsh);
    const PacketRef c = tcp(pool, 1000 + 4 * 1448, 100, 0x10 | kFin);
    const PacketRef d = tcp(pool, 1000 + 4 * 1448 + 100, 1448);
    Train train;
    train.set(*a, 0, 1);
    CHECK(train.append(*b, 0, 3));
    CHECK(train.append(*c, 0, 1));
    CHECK(!train.append(*d, 0, 1));  // after a short one
    const auto bytes = bytes_of(train);
    check_whole(bytes);
    CHECK(bytes.size() == kHeaders + 4 * 1448 + 100);
    CHECK(load8(bytes.data() + kIp + kTcpFlags) == (0x10 | kFin));
    CHECK(train.finish().gso_type == VnetHeader::kGsoTcp4);
    CHECK(train.finish().gso_bytes == 1448);
}

TEST_CASE("Packets that do not continue the stream are not joined") {
    PacketPool pool;
    const PacketRef a = tcp(pool, 1000, 1448);
    auto refused = [&](auto change) {
        PacketRef next = tcp(pool, 2448, 1448);
        change(next->data());
        Train train;
        train.set(*a, 0, 1);
        return !train.append(*next, 0, 1);
    };
    CHECK(!refused([](std::byte*) {}));
    CHECK(refused([](std::byte* ip) { store32(ip + kIp + kTcpSequence, 2449); }));
    CHECK(refused([](std::byte* ip) { store16(ip + kIp + 2, 40001); }));       // port
    CHECK(refused([](std::byte* ip) { store32(ip + kIp + 8, 1); }));           // acknowledgement
    CHECK(refused([](std::byte* ip) { store16(ip + kIp + 14, 7); }));          // window
    CHECK(refused([](std::byte* ip) { ip[kIp + 24] = std::byte{9}; }));        // timestamp
    CHECK(refused([](std::byte* ip) { ip[kIp4Addresses] = std::byte{11}; }));  // address
    CHECK(refused([](std::byte* ip) { ip[1] = std::byte{1}; }));               // ECN
    CHECK(refused([](std::byte* ip) { ip[kIp + kTcpFlags] = std::byte{0x10 | kCwr}; }));
    Train train;
    train.set(*tcp(pool, 1, 64000), 0, 45);
    CHECK(!train.append(*tcp(pool, 1 + 45 * 1448, 1448), 0, 1));  // too long for an IP packet
}

TEST_CASE("A plain packet passes unchanged") {
    PacketPool pool;
    PacketRef packet = plain(pool, 77);
    std::memset(packet->data(), 0x5a, 77);
    Train train;
    train.set(*packet, 0, 1);
    CHECK(bytes_of(train) == std::vector<std::byte>(77, std::byte{0x5a}));
    CHECK(!train.append(*packet, 0, 1));
}

TEST_CASE("Only a packet that opens a connection or carries data starts the pattern") {
    PacketPool pool;
    CHECK(carries_news(*tcp(pool, 1, 0, 0x02)));  // SYN
    CHECK(carries_news(*tcp(pool, 1, 5)));
    CHECK(carries_news(*tcp(pool, 1, 5000)));
    CHECK(!carries_news(*tcp(pool, 1, 0, 0x10)));  // ACK
    CHECK(!carries_news(*tcp(pool, 1, 0, 0x11)));  // FIN
    CHECK(!carries_news(*tcp(pool, 1, 0, 0x04)));  // RST
    PacketRef udp = tcp(pool, 1, 0);
    udp->data()[kIp4Protocol] = std::byte{17};
    CHECK(carries_news(*udp));
}

}  // namespace
