#include "packets.h"

namespace mmwemu::proxy::tests {

namespace {

void add16(Packet& packet, std::uint32_t value) {
    packet.push_back(static_cast<std::uint8_t>(value >> 8));
    packet.push_back(static_cast<std::uint8_t>(value));
}

void add32(Packet& packet, std::uint32_t value) {
    add16(packet, value >> 16);
    add16(packet, value & 0xffff);
}

/// The sum of RFC 1071, byte by byte: another way than the one under test.
std::uint32_t sum(const std::uint8_t* bytes, std::size_t size) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < size; ++i) total += i % 2 == 0 ? bytes[i] * 256u : bytes[i];
    return static_cast<std::uint32_t>(total % 65'535);
}

std::uint32_t tcp_sum(const Packet& packet) {
    const bool ipv4 = packet[0] >> 4 == 4;
    const std::size_t header = ipv4 ? 20 : 40, addresses = ipv4 ? 8 : 32;
    const std::size_t tcp = packet.size() - header;
    return (sum(packet.data() + header - addresses, addresses) + 6 + static_cast<std::uint32_t>(tcp) +
            sum(packet.data() + header, tcp)) %
           65'535;
}

void add_options(Packet& packet, const Header& header) {
    if (header.scale >= 0) packet.insert(packet.end(), {3, 3, static_cast<std::uint8_t>(header.scale), 1});
    if (!header.timestamps) return;
    packet.insert(packet.end(), {1, 1, 8, 10});
    add32(packet, header.value);
    add32(packet, header.echo);
}

}  // namespace

Packet make(const Header& header, std::size_t payload_bytes) {
    Packet options;
    add_options(options, header);
    const auto tcp_bytes = static_cast<std::uint32_t>(20 + options.size());
    Packet packet;
    const auto add_address = [&](bool client) {
        if (header.ipv6) packet.insert(packet.end(), 15, 0xfd);
        if (!header.ipv6) packet.insert(packet.end(), {10, 0, 0});
        packet.push_back(client ? 2 : 1);
    };
    const auto length = static_cast<std::uint32_t>(tcp_bytes + payload_bytes);
    if (header.ipv6) {
        packet = {0x60, 0, 0, 0};
        add16(packet, length);
        packet.insert(packet.end(), {6, 64});
    } else {
        packet = {0x45, 0};
        add16(packet, 20 + length);
        packet.insert(packet.end(), {0, 7, 0x40, 0, 64, 6, 0, 0});
    }
    add_address(!header.to_client);
    add_address(header.to_client);
    const std::size_t tcp = packet.size();
    add16(packet, header.to_client ? 80 : header.port);
    add16(packet, header.to_client ? header.port : 80);
    add32(packet, header.seq);
    add32(packet, header.ack);
    packet.push_back(static_cast<std::uint8_t>(tcp_bytes / 4 << 4));
    packet.push_back(header.flags);
    add16(packet, header.window);
    add32(packet, 0);
    packet.insert(packet.end(), options.begin(), options.end());
    for (std::size_t i = 0; i < payload_bytes; ++i) packet.push_back(static_cast<std::uint8_t>(header.seq + i));
    const auto put = [&](std::size_t at, std::uint32_t total) {
        const std::uint32_t value = 65'535 - total;
        packet[at] = static_cast<std::uint8_t>(value >> 8);
        packet[at + 1] = static_cast<std::uint8_t>(value);
    };
    if (!header.ipv6) put(10, sum(packet.data(), 20));
    put(tcp + 16, tcp_sum(packet));
    return packet;
}

bool is_sound(const Packet& packet) {
    return tcp_sum(packet) == 0 && (packet[0] >> 4 == 6 || sum(packet.data(), 20) == 0);
}

}  // namespace mmwemu::proxy::tests
