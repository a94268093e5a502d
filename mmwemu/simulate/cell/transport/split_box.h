// SPDX-License-Identifier: GPL-2.0-only
// A split proxy as a node between base station and server.

#pragma once

#include <ns3/socket.h>

#include "core/config.h"
#include "transport/end.h"
#include "transport/middlebox.h"

namespace mmwemu {

/// Ends the server's connection in the UE's name, opens one to the UE in the server's, and carries the data from one to
/// the other. The second begins when the first is there.
class SplitBox : public Middlebox {
  public:
    explicit SplitBox(const Config& config);

    void from_server(ns3::Ptr<ns3::Packet> packet) override;
    void from_ue(ns3::Ptr<ns3::Packet> packet) override;

  private:
    void listen();
    void open(ns3::Ptr<ns3::Socket> accepted);
    void carry();

    TcpConfig settings_;
    std::uint32_t segment_bytes_;
    End as_ue_, as_server_;
    ns3::Ptr<ns3::Socket> listener_, accepted_, onwards_;
    bool connected_ = false;
};

}  // namespace mmwemu
