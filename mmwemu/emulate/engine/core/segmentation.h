#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/packet.h"

namespace mmwemu {

/// Fill in a packet's segments from its vnet header and its IP and TCP headers.
///
/// Needs `vnet`, `length` and the data. Gives false for a super-packet that is not well-formed TCP.
bool find_segments(Packet& packet);

/// Whether a packet opens a conversation or carries something: not a bare TCP ACK, FIN or RST left by an earlier one.
bool carries_news(const Packet& packet);

/// Some consecutive segments of a packet, ready to be written: vnet header, headers, payload.
struct Train {
    VnetHeader vnet;
    std::array<std::byte, 256> header_storage;
    std::span<const std::byte> header;
    std::span<const std::byte> payload;
};

/// Cut `count` segments from `first` on out of a packet into `train`, with headers as TCP offload would have made them.
///
/// `train.header` and `train.payload` refer to `train` and to the packet.
void cut(const Packet& packet, std::uint32_t first, std::uint32_t count, Train& train);

}  // namespace mmwemu
