#include "core/train.h"

#include <cstring>

#include "core/headers.h"

namespace mmwemu {

namespace {

constexpr std::size_t kMaxIpBytes = 65535;

std::span<const std::byte> payload_of(const Packet& packet, std::uint32_t first, std::uint32_t count) {
    return {packet.data() + packet.header_bytes + packet.payload_offset(first), packet.payload_bytes(first, count)};
}

/// The TCP flags of `count` segments from `first` on, as one packet.
std::uint8_t flags_of(const Packet& packet, std::uint32_t first, std::uint32_t count) {
    std::uint8_t flags = load8(packet.data() + packet.vnet.checksum_start + kTcpFlags);
    if (first + count < packet.segments) flags &= static_cast<std::uint8_t>(~(kFin | kPsh));
    if (first > 0) flags &= static_cast<std::uint8_t>(~kCwr);
    return flags;
}

bool same(const std::byte* a, const std::byte* b, std::size_t from, std::size_t to) {
    return std::memcmp(a + from, b + from, to - from) == 0;
}

}  // namespace

void Train::set(const Packet& packet, std::uint32_t first, std::uint32_t count) {
    vnet_ = packet.vnet;
    header_bytes_ = packet.header_bytes;
    n_piece_ = 1;
    if (header_bytes_ == 0) {
        pieces_[0] = {packet.data(), packet.length};
        return;
    }
    pieces_[0] = payload_of(packet, first, count);
    payload_bytes_ = pieces_[0].size();
    mss_ = packet.mss;
    segments_ = count;
    std::memcpy(header_.data(), packet.data(), header_bytes_);
    std::byte* tcp = header_.data() + vnet_.checksum_start;
    store32(tcp + kTcpSequence, load32(tcp + kTcpSequence) + packet.payload_offset(first));
    tcp[kTcpFlags] = static_cast<std::byte>(flags_of(packet, first, count));
    if (!is_ip6(header_.data())) {
        store16(header_.data() + kIp4Id, static_cast<std::uint16_t>(load16(header_.data() + kIp4Id) + first));
    }
    if (first > 0) vnet_.gso_type &= static_cast<std::uint8_t>(~VnetHeader::kGsoEcn);
}

bool Train::continues(const Packet& packet, std::uint32_t first) const {
    if (header_bytes_ == 0 || packet.header_bytes != header_bytes_) return false;
    if (packet.vnet.checksum_start != vnet_.checksum_start) return false;
    const std::byte* mine = header_.data();
    const std::byte* other = packet.data();
    const std::size_t tcp_at = vnet_.checksum_start;
    // The IP headers must agree in all but length, id and checksum.
    if (!same(mine, other, 0, 2)) return false;
    if (is_ip6(mine) ? !same(mine, other, 2, 4) || !same(mine, other, kIp6Length + 2, tcp_at)
                     : !same(mine, other, kIp4Id + 2, kIp4Checksum) || !same(mine, other, kIp4Addresses, tcp_at)) {
        return false;
    }
    // So must ports, acknowledgement, header length, window, urgent pointer and options; PSH and FIN may be new.
    const std::byte* tcp = mine + tcp_at;
    const std::byte* next = other + tcp_at;
    if (!same(tcp, next, 0, kTcpSequence) || !same(tcp, next, kTcpSequence + 4, kTcpFlags)) return false;
    if (!same(tcp, next, kTcpFlags + 1, kTcpChecksum) || !same(mine, other, tcp_at + kTcpChecksum + 2, header_bytes_)) {
        return false;
    }
    const std::uint8_t changed = load8(tcp + kTcpFlags) ^ flags_of(packet, first, packet.segments - first);
    if ((changed & ~(kPsh | kFin)) != 0 || (load8(tcp + kTcpFlags) & kFin) != 0) return false;
    return load32(next + kTcpSequence) + packet.payload_offset(first) == load32(tcp + kTcpSequence) + payload_bytes_;
}

bool Train::append(const Packet& packet, std::uint32_t first, std::uint32_t count) {
    if (!continues(packet, first) || n_piece_ == kMaxPieces) return false;
    const std::span<const std::byte> payload = payload_of(packet, first, count);
    if (payload_bytes_ != static_cast<std::size_t>(segments_) * mss_) return false;  // only the last may be short
    if (count == 1 ? payload.size() > mss_ : packet.mss != mss_) return false;
    if (header_bytes_ + payload_bytes_ + payload.size() > kMaxIpBytes) return false;
    std::byte& flags = header_[vnet_.checksum_start + kTcpFlags];
    flags = static_cast<std::byte>((load8(&flags) & ~kPsh) | (flags_of(packet, first, count) & (kPsh | kFin)));
    pieces_[n_piece_++] = payload;
    payload_bytes_ += payload.size();
    segments_ += count;
    return true;
}

const VnetHeader& Train::finish() {
    if (header_bytes_ == 0) return vnet_;
    std::byte* ip = header_.data();
    const std::size_t tcp_at = vnet_.checksum_start;
    const std::size_t total_bytes = header_bytes_ + payload_bytes_;
    std::uint16_t addresses = 0;
    if (is_ip6(ip)) {
        store16(ip + kIp6Length, static_cast<std::uint16_t>(total_bytes - kIp6Bytes));
        addresses = ones_sum(ip + kIp6Addresses, 32);
    } else {
        store16(ip + kIp4Length, static_cast<std::uint16_t>(total_bytes));
        store16(ip + kIp4Checksum, 0);
        store16(ip + kIp4Checksum, static_cast<std::uint16_t>(~ones_sum(ip, tcp_at)));
        addresses = ones_sum(ip + kIp4Addresses, 8);
    }
    // With kNeedsChecksum, the field holds only the sum of the pseudo-header (RFC 9293, 3.1).
    const auto tcp_bytes = static_cast<std::uint32_t>(total_bytes - tcp_at);
    store16(ip + tcp_at + kTcpChecksum, ones_sum(nullptr, 0, addresses + kProtocolTcp + tcp_bytes));
    vnet_.header_bytes = static_cast<std::uint16_t>(header_bytes_);
    if (segments_ == 1) {
        vnet_.gso_type = VnetHeader::kGsoNone;
        vnet_.gso_bytes = 0;
    } else {
        const int ecn = vnet_.gso_type & VnetHeader::kGsoEcn;
        vnet_.gso_type = static_cast<std::uint8_t>((is_ip6(ip) ? VnetHeader::kGsoTcp6 : VnetHeader::kGsoTcp4) | ecn);
        vnet_.gso_bytes = static_cast<std::uint16_t>(mss_);
    }
    return vnet_;
}

}  // namespace mmwemu
