#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "core/edge_proxy.h"
#include "core/headers.h"
#include "core/segmentation.h"
#include "fuzz/bytes.h"
#include "fuzz/targets.h"

using namespace mmwemu;

namespace {

constexpr Time kMicrosecond = 1000;
constexpr std::size_t kIp = 20, kTcp = 40, kWindow = 14, kHeaders = kIp + kTcp;  // with options of 20 bytes

/// A TCP packet of one of a few connections; options, flags and numbers are any.
PacketRef read_tcp(PacketPool& pool, Bytes& bytes, bool to_client) {
    const std::size_t payload = bytes.below(3) == 0 ? bytes.below(60'000) : bytes.below(1449);
    PacketRef packet = pool.take(kHeaders + payload);
    std::byte* ip = packet->data();
    std::memset(ip, 0, kHeaders + payload);
    ip[0] = std::byte{0x45};
    ip[kIp4Protocol] = std::byte{kProtocolTcp};
    store16(ip + kIp4Length, static_cast<std::uint16_t>(kHeaders + payload));
    const std::uint32_t client = bytes.below(3);
    store32(ip + kIp4Addresses + (to_client ? 4 : 0), 0x0a4d0000 + client);
    store16(ip + kIp + (to_client ? 2 : 0), static_cast<std::uint16_t>(bytes.below(2)));
    std::byte* tcp = ip + kIp;
    // Near each other, and round where numbers wrap.
    store32(tcp + kTcpSequence, static_cast<std::uint32_t>(bytes.take<std::int16_t>()) * bytes.below(1000));
    store32(tcp + 8, static_cast<std::uint32_t>(bytes.take<std::int16_t>()) * bytes.below(1000));
    tcp[kTcpDataOffset] = std::byte{kTcp / 4 << 4};
    tcp[kTcpFlags] = static_cast<std::byte>(bytes.below(4) == 0 ? bytes.take<std::uint8_t>() : 0x10);
    store16(tcp + kWindow, bytes.take<std::uint16_t>());
    const bool syn = (load8(tcp + kTcpFlags) & kSyn) != 0;
    const std::array<std::uint8_t, 8> known = {3, 3, static_cast<std::uint8_t>(syn ? bytes.below(16) : 7), 1, 1, 1,
                                               8, 10};
    std::ranges::copy(std::as_bytes(std::span(known)), tcp + 20);
    const auto values = bytes.take_part(8);
    std::ranges::copy(std::as_bytes(values), tcp + 28);
    if (bytes.below(8) == 0) {
        const auto any = bytes.take_part(20);
        std::ranges::copy(std::as_bytes(any), tcp + 20);
    }
    packet->length = static_cast<std::uint32_t>(kHeaders + payload);
    if (bytes.below(4) != 0) {
        packet->vnet.flags = VnetHeader::kNeedsChecksum;
        packet->vnet.checksum_start = kIp;
        packet->vnet.checksum_offset = kTcpChecksum;
    }
    if (payload > 1448) {
        packet->vnet.gso_type = VnetHeader::kGsoTcp4;
        packet->vnet.gso_bytes = 1448;
    }
    return packet;
}

/// What must stay as it is on the way through the proxy: all but window and checksums.
std::vector<std::byte> lasting(const Packet& packet) {
    std::vector<std::byte> rest(packet.data(), packet.data() + packet.length);
    for (const std::size_t at : {kIp4Checksum, kIp4Checksum + 1, kIp + kWindow, kIp + kWindow + 1, kIp + kTcpChecksum,
                                 kIp + kTcpChecksum + 1}) {
        if (at < rest.size()) rest[at] = std::byte{0};
    }
    return rest;
}

}  // namespace

void fuzz_proxy(const std::uint8_t* data, std::size_t size) {
    static constexpr std::array<double, 6> kRates = {0, 1e3, 1e6, 1e9, 3e9, std::numeric_limits<double>::infinity()};
    Bytes bytes(data, size);
    PacketPool pool;
    std::vector<Step> steps;
    for (std::uint32_t i = 0; i <= bytes.below(4); ++i) {
        steps.push_back({static_cast<Time>(i) * 100'000 * kMicrosecond, kRates[bytes.below(kRates.size())], 0, 0, {}});
    }
    const Schedule schedule(steps, kSecond, static_cast<End>(bytes.below(3)));
    proxy::Settings settings;
    settings.buffer_bytes = bytes.below(3) == 0 ? 0 : bytes.below(60'000) * 10ULL;
    settings.backlog_limit_bytes = bytes.below(60'000);
    settings.information_interval = (100 + bytes.below(20'000)) * kMicrosecond;
    settings.information_delay = bytes.below(20'000) * kMicrosecond;
    PathSettings path_settings;
    path_settings.core_first = true;
    if (bytes.below(2) == 1) {
        path_settings.slot = 500 * kMicrosecond;
        path_settings.cell = {
            Policy::round_robin, ClientAddress::destination, {{&schedule}, {&schedule}}, path_settings.slot};
    }
    const std::uint32_t clients = path_settings.cell ? 2 : 1;
    std::vector<Record> records(2 * 2000);
    Path down(schedule, path_settings, Bins(records, 0));
    Delivery given;
    std::uint64_t updates = 0;
    EdgeProxy edge(settings, clients, pool, down, [&](Delivery delivery) {
        if (delivery.left == kNever) {  // one of its own
            ++updates;
            REQUIRE(delivery.packet->length == delivery.packet->ip_bytes(0, 1) && delivery.packet->vnet.flags == 0);
            return;
        }
        REQUIRE(given.packet && lasting(*delivery.packet) == lasting(*given.packet));
        REQUIRE(delivery.first == 0 && delivery.count == given.count);
        given = {};
    });
    Time now = kSecond;
    down.begin(now);
    std::uint64_t sent = 0, came = 0;
    const auto release = [&] {
        Delivery delivery;
        while (down.pop(now, delivery)) came += delivery.count;
    };
    for (int i = 0; i < 400 && !bytes.empty(); ++i) {
        now += bytes.below(5'000) * kMicrosecond;
        edge.inform(now);
        if (bytes.below(2) == 0) {
            const PacketRef packet = read_tcp(pool, bytes, true);
            if (!find_segments(*packet)) continue;
            sent += packet->segments;
            edge.from_server(now, packet);
        } else {
            const PacketRef packet = read_tcp(pool, bytes, false);
            if (!find_segments(*packet)) continue;
            const std::uint32_t client = bytes.below(clients);
            // A copy is what was given: the proxy may write into its own.
            given = {now, now, packet.sibling(packet->length), 0, packet->segments};
            std::memcpy(given.packet->data(), packet->data(), packet->length);
            given.packet->length = packet->length;
            edge.from_client(now, {now, now, packet, 0, packet->segments, Kind::whole, 0, 0, client});
            REQUIRE(!given.packet);
        }
        release();
        REQUIRE(edge.next() > now);
        REQUIRE(edge.held_bytes() <= settings.buffer_bytes * 6);  // of each connection
    }
    REQUIRE(came <= sent);
}
