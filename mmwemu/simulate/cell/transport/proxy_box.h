// SPDX-License-Identifier: GPL-2.0-only
// milliProxy as a node between base station and server.

#pragma once

#include <ns3/packet.h>

#include <array>

#include "milliproxy.h"
#include "transport/middlebox.h"

namespace mmwemu {

/// Hands the packets of ns-3 to the proxy.
class ProxyBox : public Middlebox {
  public:
    explicit ProxyBox(const proxy::Settings& settings);

    void from_server(ns3::Ptr<ns3::Packet> packet) override;
    void from_ue(ns3::Ptr<ns3::Packet> packet) override;
    void inform(double rate_bps, std::uint64_t backlog_bytes) override;

  private:
    using Packet = ns3::Ptr<ns3::Packet>;
    static constexpr std::size_t kMostHeaderBytes = 120;

    proxy::Bytes start(const Packet& packet);

    std::array<std::uint8_t, kMostHeaderBytes> start_{};
    proxy::MilliProxy<Packet> proxy_;
};

}  // namespace mmwemu
