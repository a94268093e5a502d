// A TCP segment in an IP packet: what a proxy reads of it, and the one field that it writes.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mmwemu::proxy {

/// Nanoseconds from any fixed moment.
using Time = std::int64_t;

using Bytes = std::span<const std::uint8_t>;

/// Address and port of one end; IPv4 addresses are mapped into IPv6.
struct End {
    std::array<std::uint8_t, 16> address{};
    std::uint16_t port = 0;
    auto operator<=>(const End&) const = default;
};

/// Values of the timestamps option (RFC 7323).
struct Timestamps {
    std::uint32_t value = 0, echo = 0;
};

struct Segment {
    static constexpr std::uint8_t kFin = 1, kSyn = 2, kRst = 4, kAck = 16, kUrg = 32;

    End from, to;
    std::uint32_t seq = 0, ack = 0;
    std::uint16_t window = 0;  // as it stands in the header, without its scale
    std::uint8_t flags = 0;
    std::uint32_t header_bytes = 0;  // IP and TCP
    std::uint32_t payload_bytes = 0;
    std::optional<std::uint8_t> window_scale;
    std::optional<Timestamps> timestamps;

    bool has(std::uint8_t flag) const { return (flags & flag) != 0; }

    /// The sequence number after this segment.
    std::uint32_t end() const { return seq + payload_bytes + (has(kSyn) ? 1 : 0) + (has(kFin) ? 1 : 0); }
};

/// Distance from `b` to `a` on the circle of sequence numbers, negative if `a` is before `b`.
inline std::int32_t distance(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b);
}

/// Read a packet, of which `start` has at least the headers; none if it is no whole TCP segment: another protocol, a
/// fragment, headers that are cut off or contradict each other.
std::optional<Segment> parse(Bytes start);

/// Write the window into the headers. Where the packet has its checksum, it is mended (RFC 1624).
void set_window(std::span<std::uint8_t> start, std::uint16_t window, bool has_checksum);

/// A packet with these headers and no payload, with all checksums.
std::vector<std::uint8_t> without_payload(Bytes start);

}  // namespace mmwemu::proxy
