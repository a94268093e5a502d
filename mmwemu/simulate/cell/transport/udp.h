// SPDX-License-Identifier: GPL-2.0-only
// Transport `udp`: the source of `lite`, as packets of ns-3.

#pragma once

#include <ns3/socket.h>

#include "core/source.h"
#include "transport/internet.h"

namespace mmwemu {

/// UDP at a constant rate from the remote host to the UE.
class UdpTransport : public InternetTransport {
  public:
    explicit UdpTransport(const Config& config, std::unique_ptr<Middlebox> middlebox = nullptr);

  private:
    void start() override;
    void send();

    CbrSource source_;  // its times are those at the remote host
    ns3::Ptr<ns3::Socket> sender_, receiver_;
};

}  // namespace mmwemu
