// SPDX-License-Identifier: GPL-2.0-only
// Transport `udp`: the sources of `lite`, as packets of ns-3.

#pragma once

#include <ns3/socket.h>

#include <memory>
#include <vector>

#include "core/source.h"
#include "transport/internet.h"

namespace mmwemu {

/// UDP at a constant rate in each direction.
class UdpTransport : public InternetTransport {
  public:
    UdpTransport(const Config& config, const UeConfig& ue, std::unique_ptr<Middlebox> middlebox = nullptr);

  private:
    struct Flow {
        CbrSource source;
        ns3::Ptr<ns3::Socket> sender, receiver;
    };
    void start() override;
    void open(double rate_bps, const End& from, const End& to);
    static void send(Flow& flow);

    std::uint32_t payload_bytes_;
    Time start_;
    double rate_bps_, uplink_rate_bps_;
    std::vector<std::unique_ptr<Flow>> flows_;
};

}  // namespace mmwemu
