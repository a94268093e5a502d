// Offsets and fields of IPv4, IPv6, TCP and UDP headers, and access to bytes in network order.

#pragma once

#include <cstddef>
#include <cstdint>

namespace mmwemu {

inline constexpr std::size_t kIp4MinBytes = 20, kIp6Bytes = 40, kTcpMinBytes = 20;
inline constexpr std::size_t kIp4Length = 2, kIp4Id = 4, kIp4Fragment = 6, kIp4Protocol = 9, kIp4Checksum = 10,
                             kIp4Addresses = 12;
inline constexpr std::size_t kIp6Length = 4, kIp6Protocol = 6, kIp6Addresses = 8;
inline constexpr std::size_t kTcpSequence = 4, kTcpDataOffset = 12, kTcpFlags = 13, kTcpChecksum = 16;
inline constexpr std::size_t kUdpChecksum = 6;
inline constexpr std::uint8_t kFin = 0x01, kSyn = 0x02, kPsh = 0x08, kCwr = 0x80;
inline constexpr std::uint8_t kProtocolTcp = 6, kProtocolUdp = 17;

inline std::uint8_t load8(const std::byte* p) {
    return std::to_integer<std::uint8_t>(*p);
}

inline std::uint16_t load16(const std::byte* p) {
    return static_cast<std::uint16_t>(load8(p) << 8 | load8(p + 1));
}

inline std::uint32_t load32(const std::byte* p) {
    return static_cast<std::uint32_t>(load16(p)) << 16 | load16(p + 2);
}

inline void store16(std::byte* p, std::uint16_t value) {
    p[0] = static_cast<std::byte>(value >> 8);
    p[1] = static_cast<std::byte>(value & 0xff);
}

inline void store32(std::byte* p, std::uint32_t value) {
    store16(p, static_cast<std::uint16_t>(value >> 16));
    store16(p + 2, static_cast<std::uint16_t>(value & 0xffff));
}

inline bool is_ip6(const std::byte* ip) {
    return load8(ip) >> 4 == 6;
}

inline std::size_t tcp_header_bytes(const std::byte* tcp) {
    return static_cast<std::size_t>(load8(tcp + kTcpDataOffset) >> 4) * 4;
}

/// One's complement sum of an even number of bytes (RFC 1071) added to `sum`, folded to 16 bits.
inline std::uint16_t ones_sum(const std::byte* p, std::size_t bytes, std::uint32_t sum = 0) {
    for (std::size_t i = 0; i + 1 < bytes; i += 2) sum += load16(p + i);
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

}  // namespace mmwemu
