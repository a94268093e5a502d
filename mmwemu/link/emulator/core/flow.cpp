#include "core/flow.h"

#include "core/headers.h"
#include "core/random.h"

namespace mmwemu {

std::uint64_t flow_hash(const Packet& packet, std::uint64_t seed) {
    const std::byte* ip = packet.data();
    const bool ip6 = packet.length >= kIp6Bytes && is_ip6(ip);
    std::uint64_t hash = mix(seed);
    if (!ip6 && packet.length < kIp4MinBytes) return hash;
    const std::size_t begin = ip6 ? kIp6Addresses : kIp4Addresses;
    const std::size_t end = begin + (ip6 ? 32 : 8);
    for (std::size_t i = begin; i < end; i += 4) hash = mix(hash ^ load32(ip + i));
    const std::uint8_t protocol = load8(ip + (ip6 ? kIp6Protocol : kIp4Protocol));
    hash = mix(hash ^ protocol);
    // Only the first fragment has ports, so no fragment is hashed by them.
    const bool fragment = !ip6 && (load16(ip + kIp4Fragment) & 0x3fff) != 0;
    const std::size_t ports = ip6 ? kIp6Bytes : static_cast<std::size_t>(load8(ip) & 0x0f) * 4;
    if ((protocol == kProtocolTcp || protocol == kProtocolUdp) && !fragment && packet.length >= ports + 4) {
        hash = mix(hash ^ load32(ip + ports));
    }
    return hash;
}

}  // namespace mmwemu
