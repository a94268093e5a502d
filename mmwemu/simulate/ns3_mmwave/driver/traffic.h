// SPDX-License-Identifier: GPL-2.0-only
// Packets at a constant rate from the remote host to the UE, and what became of each.

#pragma once

#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "settings.h"

namespace mmwemu {

class Traffic {
  public:
    explicit Traffic(const Settings& settings) : settings_(settings) {}

    void install(ns3::Ptr<ns3::Node> sender, ns3::Ptr<ns3::Node> ue, ns3::Ipv4Address ue_address);

    /// Write one row for each millisecond; start, line of sight, bytes, mean delay, drops, bytes that wait.
    void write(const std::string& path) const;

  private:
    void send();
    void receive(ns3::Ptr<ns3::Socket> socket);
    double sent_s(std::size_t number) const;

    const Settings& settings_;
    ns3::Ptr<ns3::Socket> out_, in_;
    std::size_t sent_ = 0;
    std::vector<double> arrived_s_;  // by number of the packet, negative where it has not arrived
};

}  // namespace mmwemu
