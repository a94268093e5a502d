#include "core/segmentation.h"

#include "core/headers.h"

namespace mmwemu {

namespace {
constexpr std::size_t kMaxHeaderBytes = 256;
}

bool find_segments(Packet& packet) {
    const VnetHeader& vnet = packet.vnet;
    packet.segments = 1;
    packet.header_bytes = 0;
    packet.mss = 0;
    const int kind = vnet.gso_type & ~VnetHeader::kGsoEcn;
    const bool plain = kind == VnetHeader::kGsoNone;
    const bool super = kind == VnetHeader::kGsoTcp4 || kind == VnetHeader::kGsoTcp6;
    if (!plain && !super) return false;
    // A plain packet stays whole if its TCP header is not found or it carries no data.
    const std::size_t tcp_at = vnet.checksum_start;
    if (!(vnet.flags & VnetHeader::kNeedsChecksum) || vnet.checksum_offset != kTcpChecksum) return plain;
    if (tcp_at < kIp4MinBytes || packet.length < tcp_at + kTcpMinBytes) return plain;
    if (is_ip6(packet.data()) && tcp_at < kIp6Bytes) return plain;
    const std::size_t tcp_bytes = tcp_header_bytes(packet.data() + tcp_at);
    const std::size_t header_bytes = tcp_at + tcp_bytes;
    if (tcp_bytes < kTcpMinBytes || header_bytes > kMaxHeaderBytes || header_bytes >= packet.length) return plain;
    const auto payload_bytes = static_cast<std::uint32_t>(packet.length - header_bytes);
    if (super && vnet.gso_bytes == 0) return false;
    packet.header_bytes = static_cast<std::uint32_t>(header_bytes);
    packet.mss = super ? vnet.gso_bytes : payload_bytes;
    packet.segments = (payload_bytes + packet.mss - 1) / packet.mss;
    return true;
}

bool carries_news(const Packet& packet) {
    const std::byte* ip = packet.data();
    if (packet.header_bytes > 0 || packet.length < kIp4MinBytes) return true;
    const std::size_t tcp_at = is_ip6(ip) ? kIp6Bytes : static_cast<std::size_t>(load8(ip) & 0x0f) * 4;
    const std::uint8_t protocol = load8(ip + (is_ip6(ip) ? kIp6Protocol : kIp4Protocol));
    if (protocol != kProtocolTcp || packet.length < tcp_at + kTcpMinBytes) return true;
    const std::byte* tcp = ip + tcp_at;
    return (load8(tcp + kTcpFlags) & kSyn) != 0 || packet.length > tcp_at + tcp_header_bytes(tcp);
}

}  // namespace mmwemu
