#include "core/segmentation.h"

#include <cstring>

namespace mmwemu {

namespace {

constexpr std::size_t kIp4MinBytes = 20, kIp6Bytes = 40, kTcpMinBytes = 20, kMaxHeaderBytes = 256;
constexpr std::size_t kTcpSequence = 4, kTcpDataOffset = 12, kTcpFlags = 13, kTcpChecksum = 16;
constexpr std::uint8_t kFin = 0x01, kSyn = 0x02, kPsh = 0x08, kCwr = 0x80;
constexpr std::uint8_t kProtocolTcp = 6;

std::uint8_t byte_at(const std::byte* p, std::size_t offset) {
    return std::to_integer<std::uint8_t>(p[offset]);
}

std::uint16_t load16(const std::byte* p) {
    return static_cast<std::uint16_t>(byte_at(p, 0) << 8 | byte_at(p, 1));
}

std::uint32_t load32(const std::byte* p) {
    return static_cast<std::uint32_t>(load16(p)) << 16 | load16(p + 2);
}

void store16(std::byte* p, std::uint16_t value) {
    p[0] = static_cast<std::byte>(value >> 8);
    p[1] = static_cast<std::byte>(value & 0xff);
}

void store32(std::byte* p, std::uint32_t value) {
    store16(p, static_cast<std::uint16_t>(value >> 16));
    store16(p + 2, static_cast<std::uint16_t>(value & 0xffff));
}

/// One's complement sum of an even number of bytes (RFC 1071), folded to 16 bits.
std::uint16_t ones_sum(const std::byte* p, std::size_t bytes, std::uint32_t sum = 0) {
    for (std::size_t i = 0; i + 1 < bytes; i += 2) sum += load16(p + i);
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

/// Set length, id and checksum of an IPv4 header, or the payload length of IPv6; give the sum of the two addresses.
std::uint16_t fix_ip(std::byte* ip, std::size_t ip_header_bytes, std::size_t total_bytes, std::uint32_t first) {
    if (byte_at(ip, 0) >> 4 == 6) {
        store16(ip + 4, static_cast<std::uint16_t>(total_bytes - kIp6Bytes));
        return ones_sum(ip + 8, 32);
    }
    store16(ip + 2, static_cast<std::uint16_t>(total_bytes));
    store16(ip + 4, static_cast<std::uint16_t>(load16(ip + 4) + first));
    store16(ip + 10, 0);
    store16(ip + 10, static_cast<std::uint16_t>(~ones_sum(ip, ip_header_bytes)));
    return ones_sum(ip + 12, 8);
}

}  // namespace

bool find_segments(Packet& packet) {
    const VnetHeader& vnet = packet.vnet;
    packet.segments = 1;
    packet.header_bytes = 0;
    packet.mss = 0;
    if (vnet.gso_type == VnetHeader::kGsoNone) return true;
    const int kind = vnet.gso_type & ~VnetHeader::kGsoEcn;
    const std::size_t tcp_at = vnet.checksum_start;
    const std::size_t ip_min = kind == VnetHeader::kGsoTcp4 ? kIp4MinBytes : kIp6Bytes;
    if (kind != VnetHeader::kGsoTcp4 && kind != VnetHeader::kGsoTcp6) return false;
    if (!(vnet.flags & VnetHeader::kNeedsChecksum) || vnet.checksum_offset != kTcpChecksum) return false;
    if (vnet.gso_bytes == 0 || tcp_at < ip_min || packet.length < tcp_at + kTcpMinBytes) return false;
    const std::size_t tcp_bytes = static_cast<std::size_t>(byte_at(packet.data(), tcp_at + kTcpDataOffset) >> 4) * 4;
    const std::size_t header_bytes = tcp_at + tcp_bytes;
    if (tcp_bytes < kTcpMinBytes || header_bytes > kMaxHeaderBytes || header_bytes >= packet.length) return false;
    packet.header_bytes = static_cast<std::uint32_t>(header_bytes);
    packet.mss = vnet.gso_bytes;
    packet.segments = (packet.length - packet.header_bytes + packet.mss - 1) / packet.mss;
    return true;
}

bool carries_news(const Packet& packet) {
    const std::byte* ip = packet.data();
    if (packet.segments > 1 || packet.length < kIp4MinBytes) return true;
    std::size_t tcp_at = kIp6Bytes;
    std::uint8_t protocol = byte_at(ip, 6);
    if (byte_at(ip, 0) >> 4 == 4) {
        tcp_at = static_cast<std::size_t>(byte_at(ip, 0) & 0x0f) * 4;
        protocol = byte_at(ip, 9);
    }
    if (protocol != kProtocolTcp || packet.length < tcp_at + kTcpMinBytes) return true;
    const std::size_t tcp_bytes = static_cast<std::size_t>(byte_at(ip, tcp_at + kTcpDataOffset) >> 4) * 4;
    return (byte_at(ip, tcp_at + kTcpFlags) & kSyn) != 0 || packet.length > tcp_at + tcp_bytes;
}

void cut(const Packet& packet, std::uint32_t first, std::uint32_t count, Train& train) {
    train.vnet = packet.vnet;
    if (packet.header_bytes == 0) {
        train.header = {};
        train.payload = {packet.data(), packet.length};
        return;
    }
    const std::uint32_t payload_bytes = packet.payload_bytes(first, count);
    const bool has_first = first == 0;
    const bool has_last = first + count == packet.segments;
    std::byte* header = train.header_storage.data();
    std::memcpy(header, packet.data(), packet.header_bytes);
    train.header = {header, packet.header_bytes};
    train.payload = {packet.data() + packet.header_bytes + packet.payload_offset(first), payload_bytes};

    std::byte* tcp = header + packet.vnet.checksum_start;
    const std::size_t tcp_bytes = packet.header_bytes - packet.vnet.checksum_start;
    store32(tcp + kTcpSequence, load32(tcp + kTcpSequence) + packet.payload_offset(first));
    std::uint8_t flags = byte_at(tcp, kTcpFlags);
    if (!has_last) flags &= static_cast<std::uint8_t>(~(kFin | kPsh));
    if (!has_first) flags &= static_cast<std::uint8_t>(~kCwr);
    tcp[kTcpFlags] = static_cast<std::byte>(flags);

    const std::uint16_t addresses =
        fix_ip(header, packet.vnet.checksum_start, packet.header_bytes + payload_bytes, first);
    // The receiver of a packet with kNeedsChecksum wants the sum of the pseudo-header only (RFC 9293, 3.1).
    const auto tcp_length = static_cast<std::uint32_t>(tcp_bytes + payload_bytes);
    store16(tcp + kTcpChecksum, ones_sum(nullptr, 0, addresses + kProtocolTcp + tcp_length));

    train.vnet.header_bytes = static_cast<std::uint16_t>(packet.header_bytes);
    if (count == 1) {
        train.vnet.gso_type = VnetHeader::kGsoNone;
        train.vnet.gso_bytes = 0;
    } else if (!has_first) {
        train.vnet.gso_type &= static_cast<std::uint8_t>(~VnetHeader::kGsoEcn);
    }
}

}  // namespace mmwemu
