// SPDX-License-Identifier: GPL-2.0-only
// A node with ns-3's internet stack and one device, whose packets are handed over by functions.

#pragma once

#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <ns3/socket.h>
#include <ns3/virtual-net-device.h>

#include <functional>

#include "core/config.h"

namespace mmwemu {

inline constexpr const char* kHostAddress = "10.0.0.1";
inline constexpr const char* kUeAddress = "10.0.0.2";
inline constexpr std::uint16_t kPort = 5000;  // of the UE

struct End {
    ns3::Ipv4Address address;
    ns3::Ptr<ns3::Node> node;
    ns3::Ptr<ns3::VirtualNetDevice> device;
};

End make_end(const char* address);
/// Let an event take place at a node after a time.
void schedule(const End& end, ns3::Time wait, const std::function<void()>& event);
/// Hand a packet to a node's device.
void receive(const End& end, const ns3::Ptr<ns3::Packet>& packet);
/// Make a TCP socket at a node.
ns3::Ptr<ns3::Socket> make_tcp_socket(const End& end, const TcpConfig& tcp, std::uint32_t segment_bytes);

}  // namespace mmwemu
