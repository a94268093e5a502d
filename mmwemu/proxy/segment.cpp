#include "segment.h"

#include <algorithm>

namespace mmwemu::proxy {

namespace {

constexpr std::uint8_t kTcp = 6;
constexpr std::size_t kIpv4Bytes = 20, kIpv6Bytes = 40, kTcpBytes = 20;
constexpr std::size_t kFlags = 13, kWindow = 14, kChecksum = 16;  // in the TCP header
constexpr std::uint8_t kEndOfOptions = 0, kNoOperation = 1, kWindowScale = 3, kTimestamps = 8;
constexpr std::uint8_t kGreatestScale = 14;  // RFC 7323, section 2.3

std::uint16_t read16(Bytes bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

std::uint32_t read32(Bytes bytes, std::size_t at) {
    return static_cast<std::uint32_t>(read16(bytes, at)) << 16 | read16(bytes, at + 2);
}

void write16(std::span<std::uint8_t> bytes, std::size_t at, std::uint16_t value) {
    bytes[at] = static_cast<std::uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(value);
}

std::uint16_t folded(std::uint64_t sum) {
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

std::uint64_t sum_of(Bytes bytes) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) sum += read16(bytes, i);
    if (bytes.size() % 2 == 1) sum += static_cast<std::uint64_t>(bytes.back()) << 8;
    return sum;
}

struct Ip {
    std::size_t header_bytes = 0, packet_bytes = 0;
    Bytes source, destination;
};

std::optional<Ip> parse_ipv4(Bytes start) {
    constexpr std::uint16_t kFragment = 0x3fff;  // more fragments, or an offset
    if (start.size() < kIpv4Bytes || start[9] != kTcp || (read16(start, 6) & kFragment) != 0) return std::nullopt;
    const std::size_t header = (start[0] & 15u) * 4u;
    if (header < kIpv4Bytes) return std::nullopt;
    return Ip{header, read16(start, 2), start.subspan(12, 4), start.subspan(16, 4)};
}

std::optional<Ip> parse_ipv6(Bytes start) {
    if (start.size() < kIpv6Bytes || start[6] != kTcp) return std::nullopt;
    return Ip{kIpv6Bytes, kIpv6Bytes + read16(start, 4), start.subspan(8, 16), start.subspan(24, 16)};
}

std::optional<Ip> parse_ip(Bytes start) {
    if (start.empty()) return std::nullopt;
    const int version = start[0] >> 4;
    return version == 4 ? parse_ipv4(start) : version == 6 ? parse_ipv6(start) : std::nullopt;
}

End end(Bytes address, std::uint16_t port) {
    End found{{}, port};
    if (address.size() == 4) found.address[10] = found.address[11] = 0xff;
    std::copy(address.begin(), address.end(), found.address.end() - static_cast<std::ptrdiff_t>(address.size()));
    return found;
}

/// Read the options that matter; false if one has no room for what it says to be.
bool read_options(Bytes options, Segment& segment) {
    for (std::size_t at = 0; at < options.size() && options[at] != kEndOfOptions;) {
        if (options[at] == kNoOperation) {
            ++at;
            continue;
        }
        if (at + 1 >= options.size()) return false;
        const std::size_t size = options[at + 1];
        if (size < 2 || at + size > options.size()) return false;
        if (options[at] == kWindowScale && size == 3) segment.window_scale = std::min(options[at + 2], kGreatestScale);
        if (options[at] == kTimestamps && size == 10) {
            segment.timestamps = Timestamps{read32(options, at + 2), read32(options, at + 6)};
        }
        at += size;
    }
    return true;
}

}  // namespace

std::optional<Segment> parse(Bytes start) {
    const auto ip = parse_ip(start);
    if (!ip || start.size() < ip->header_bytes + kTcpBytes) return std::nullopt;
    const Bytes tcp = start.subspan(ip->header_bytes);
    const std::size_t tcp_bytes = (tcp[12] >> 4) * 4u;
    const std::size_t headers = ip->header_bytes + tcp_bytes;
    if (tcp_bytes < kTcpBytes || tcp.size() < tcp_bytes || ip->packet_bytes < headers) return std::nullopt;
    Segment segment;
    segment.from = end(ip->source, read16(tcp, 0));
    segment.to = end(ip->destination, read16(tcp, 2));
    segment.seq = read32(tcp, 4);
    segment.ack = read32(tcp, 8);
    segment.flags = tcp[kFlags];
    segment.window = read16(tcp, kWindow);
    segment.header_bytes = static_cast<std::uint32_t>(headers);
    segment.payload_bytes = static_cast<std::uint32_t>(ip->packet_bytes - headers);
    if (!read_options(tcp.subspan(kTcpBytes, tcp_bytes - kTcpBytes), segment)) return std::nullopt;
    return segment;
}

void set_window(std::span<std::uint8_t> start, std::uint16_t window, bool has_checksum) {
    const auto tcp = start.subspan(parse_ip(start)->header_bytes);
    const std::uint16_t before = read16(tcp, kWindow);
    write16(tcp, kWindow, window);
    if (!has_checksum) return;
    const auto inverse = [](std::uint16_t value) { return static_cast<std::uint16_t>(~value); };
    const std::uint64_t sum = std::uint64_t{inverse(read16(tcp, kChecksum))} + inverse(before) + window;
    write16(tcp, kChecksum, inverse(folded(sum)));
}

std::vector<std::uint8_t> without_payload(Bytes start) {
    const Ip ip = *parse_ip(start);
    const std::size_t tcp_bytes = (start[ip.header_bytes + 12] >> 4) * 4u;
    std::vector<std::uint8_t> packet(start.begin(),
                                     start.begin() + static_cast<std::ptrdiff_t>(ip.header_bytes + tcp_bytes));
    const std::span<std::uint8_t> bytes(packet);
    if (start[0] >> 4 == 4) {
        write16(bytes, 2, static_cast<std::uint16_t>(packet.size()));
        write16(bytes, 10, 0);
        write16(bytes, 10, static_cast<std::uint16_t>(~folded(sum_of(bytes.first(ip.header_bytes)))));
    } else {
        write16(bytes, 4, static_cast<std::uint16_t>(tcp_bytes));
    }
    const auto tcp = bytes.subspan(ip.header_bytes);
    write16(tcp, kChecksum, 0);
    const std::uint64_t sum = sum_of(ip.source) + sum_of(ip.destination) + kTcp + tcp_bytes + sum_of(tcp);
    write16(tcp, kChecksum, static_cast<std::uint16_t>(~folded(sum)));
    return packet;
}

}  // namespace mmwemu::proxy
