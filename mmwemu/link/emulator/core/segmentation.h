// TCP segmentation offload on the way in: the segments of a super-packet that a device handed over.

#pragma once

#include "core/packet.h"

namespace mmwemu {

/// Fill in a packet's segments and headers from its vnet header and its IP and TCP headers.
///
/// Needs `vnet`, `length` and the data. Returns false for a super-packet that is not well-formed TCP.
bool find_segments(Packet& packet);

/// Whether a packet opens a connection or carries data: false for a bare TCP ACK, FIN or RST of an earlier connection.
bool carries_news(const Packet& packet);

}  // namespace mmwemu
