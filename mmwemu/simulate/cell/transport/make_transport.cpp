// SPDX-License-Identifier: GPL-2.0-only
#include "transport/make_transport.h"

#include "transport/lite.h"
#include "transport/tcp.h"
#include "transport/udp.h"

namespace mmwemu {

std::unique_ptr<Transport> make_transport(const Config& config, const UeConfig& ue) {
    switch (config.transport) {
        case TransportKind::kUdp:
            return std::make_unique<UdpTransport>(config, ue);
        case TransportKind::kTcp:
            return std::make_unique<TcpTransport>(config, ue);
        default:
            return std::make_unique<LiteTransport>(config, ue);
    }
}

}  // namespace mmwemu
