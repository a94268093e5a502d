#pragma once

#include "core/packet.h"

namespace mmwemu {

/// Fill in a packet's segments and headers from its vnet header and its IP and TCP headers.
///
/// Needs `vnet`, `length` and the data. Gives false for a super-packet that is not well-formed TCP.
bool find_segments(Packet& packet);

/// Whether a packet opens a conversation or carries something: not a bare TCP ACK, FIN or RST left by an earlier one.
bool carries_news(const Packet& packet);

}  // namespace mmwemu
