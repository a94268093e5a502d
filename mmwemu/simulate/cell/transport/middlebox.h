// SPDX-License-Identifier: GPL-2.0-only
// A node between base station and server that sees every packet.

#pragma once

#include <ns3/packet.h>

#include <cstdint>
#include <functional>
#include <utility>

namespace mmwemu {

/// Sits at the base station's end of the core and sees each IP packet both ways: it may change, hold or drop packets,
/// or send its own. This one passes all of them on.
class Middlebox {
  public:
    using Forward = std::function<void(ns3::Ptr<ns3::Packet>)>;

    virtual ~Middlebox() = default;

    /// Set where packets go on; called once, before the first packet.
    void connect(Forward to_ue, Forward to_server) {
        to_ue_ = std::move(to_ue);
        to_server_ = std::move(to_server);
    }

    virtual void from_server(ns3::Ptr<ns3::Packet> packet) { to_ue_(packet); }
    virtual void from_ue(ns3::Ptr<ns3::Packet> packet) { to_server_(packet); }

    /// What the base station knows now: the rate that its MAC could give this UE, and the bytes that wait there.
    virtual void inform(double /*rate_bps*/, std::uint64_t /*backlog_bytes*/) {}

  protected:
    Forward to_ue_, to_server_;
};

}  // namespace mmwemu
