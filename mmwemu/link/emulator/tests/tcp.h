// TCP packets for tests.

#pragma once

#include <cstring>

#include "core/headers.h"
#include "core/segmentation.h"
#include "tests/helpers.h"

namespace testing {

inline constexpr std::size_t kIp = 20, kTcp = 32, kHeaders = kIp + kTcp;

/// A TCP packet as the kernel hands it to a device with offload.
inline PacketRef tcp(PacketPool& pool, std::uint32_t sequence, std::size_t payload_bytes, std::uint8_t flags = 0x10) {
    PacketRef packet = pool.take(PacketPool::kLargeBytes);
    std::byte* ip = packet->data();
    std::memset(ip, 0, kHeaders);
    ip[0] = std::byte{0x45};
    ip[8] = std::byte{64};
    ip[kIp4Protocol] = std::byte{kProtocolTcp};
    store16(ip + kIp4Length, static_cast<std::uint16_t>(kHeaders + payload_bytes));
    store16(ip + kIp4Id, 500);
    store32(ip + kIp4Addresses, 0x0a4d0001);
    store32(ip + kIp4Addresses + 4, 0x0a4d0002);
    store16(ip + kIp, 80);
    store16(ip + kIp + 2, 40000);
    store32(ip + kIp + kTcpSequence, sequence);
    ip[kIp + kTcpDataOffset] = std::byte{kTcp / 4 << 4};
    ip[kIp + kTcpFlags] = static_cast<std::byte>(flags);
    for (std::size_t i = 0; i < payload_bytes; ++i) ip[kHeaders + i] = static_cast<std::byte>(sequence + i);
    packet->length = static_cast<std::uint32_t>(kHeaders + payload_bytes);
    packet->vnet.flags = VnetHeader::kNeedsChecksum;
    packet->vnet.checksum_start = kIp;
    packet->vnet.checksum_offset = kTcpChecksum;
    if (payload_bytes > 1448) {
        packet->vnet.gso_type = VnetHeader::kGsoTcp4;
        packet->vnet.gso_bytes = 1448;
    }
    CHECK(find_segments(*packet));
    return packet;
}

}  // namespace testing
