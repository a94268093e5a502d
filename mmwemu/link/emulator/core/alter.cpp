#include "core/alter.h"

#include <cstring>

#include "core/headers.h"
#include "core/segmentation.h"
#include "core/train.h"

namespace mmwemu {

namespace {

/// Complete the checksum as offload would: its field already holds the sum of the pseudo-header.
void complete_checksum(Packet& packet) {
    const VnetHeader vnet = packet.vnet;
    packet.vnet = {};
    const std::size_t start = vnet.checksum_start;
    const std::size_t field = start + vnet.checksum_offset;
    if (!(vnet.flags & VnetHeader::kNeedsChecksum) || field + 2 > packet.length) return;
    const std::size_t bytes = packet.length - start;
    const std::uint32_t odd =
        bytes % 2 == 0 ? 0 : static_cast<std::uint32_t>(load8(packet.data() + start + bytes - 1)) << 8;
    auto sum = static_cast<std::uint16_t>(~ones_sum(packet.data() + start, bytes, odd));
    if (sum == 0 && vnet.checksum_offset == kUdpChecksum) sum = 0xffff;  // in UDP, 0 means no checksum (RFC 768)
    store16(packet.data() + field, sum);
}

std::size_t ip_header_bytes(const Packet& packet) {
    return is_ip6(packet.data()) ? kIp6Bytes : static_cast<std::size_t>(load8(packet.data()) & 0x0f) * 4;
}

constexpr int kCongestionExperienced = 3;

/// The ECN field (RFC 3168, section 5); 0: the transport does not support ECN.
int ecn_bits(const Packet& packet) {
    if (packet.length < kIp4MinBytes) return 0;
    const std::uint8_t second = load8(packet.data() + 1);
    return is_ip6(packet.data()) ? second >> 4 & 3 : second & 3;
}

}  // namespace

PacketRef extract(const PacketRef& packet, std::uint32_t first, std::uint32_t count) {
    Train train;
    train.set(*packet, first, count);
    const VnetHeader& vnet = train.finish();
    const std::size_t header_bytes = train.header().size();
    const std::span<const std::byte> rest = train.pieces()[0];
    PacketRef part = packet.sibling(header_bytes + rest.size());
    std::memcpy(part->data(), train.header().data(), header_bytes);
    std::memcpy(part->data() + header_bytes, rest.data(), rest.size());
    part->vnet = vnet;
    part->length = static_cast<std::uint32_t>(header_bytes + rest.size());
    find_segments(*part);
    return part;
}

PacketRef damage(const PacketRef& packet, std::uint32_t segment, std::span<const std::uint32_t> wrong_bits) {
    PacketRef single = extract(packet, segment);
    const std::size_t header_bits = 8 * ip_header_bytes(*single);
    complete_checksum(*single);
    single->segments = 1;
    single->header_bytes = 0;  // a plain packet is neither cut nor joined
    single->mss = 0;
    for (const std::uint32_t bit : wrong_bits) {
        if (bit < header_bits || bit / 8 >= single->length) return {};
        single->data()[bit / 8] ^= static_cast<std::byte>(0x80 >> bit % 8);
    }
    return single;
}

bool may_be_marked(const Packet& packet) {
    return ecn_bits(packet) != 0;
}

bool congestion_experienced(const Packet& packet) {
    return ecn_bits(packet) == kCongestionExperienced;
}

PacketRef marked(const PacketRef& packet, std::uint32_t segment) {
    PacketRef single = extract(packet, segment);
    std::byte* ip = single->data();
    if (is_ip6(ip)) {
        ip[1] |= std::byte{0x30};
        return single;
    }
    ip[1] |= std::byte{0x03};
    store16(ip + kIp4Checksum, 0);
    store16(ip + kIp4Checksum, static_cast<std::uint16_t>(~ones_sum(ip, ip_header_bytes(*single))));
    return single;
}

}  // namespace mmwemu
