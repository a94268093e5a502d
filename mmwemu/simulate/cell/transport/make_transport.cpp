// SPDX-License-Identifier: GPL-2.0-only
#include "transport/make_transport.h"

#include "transport/lite.h"
#include "transport/proxy_box.h"
#include "transport/split_box.h"
#include "transport/tcp.h"
#include "transport/udp.h"

namespace mmwemu {

namespace {

std::unique_ptr<Middlebox> make_middlebox(const Config& config) {
    const TcpConfig& tcp = config.tcp;
    if (tcp.split) return std::make_unique<SplitBox>(config);
    if (!tcp.proxy) return nullptr;
    proxy::Settings settings;
    settings.buffer_bytes = tcp.proxy->buffer_bytes;
    settings.backlog_limit_bytes = tcp.proxy->backlog_limit_bytes;
    settings.information_interval = tcp.proxy->information_interval;
    settings.information_delay = tcp.proxy->information_delay;
    return std::make_unique<ProxyBox>(settings);
}

}  // namespace

std::unique_ptr<Transport> make_transport(const Config& config, const UeConfig& ue) {
    switch (config.transport) {
        case TransportKind::kUdp:
            return std::make_unique<UdpTransport>(config, ue);
        case TransportKind::kTcp:
            return std::make_unique<TcpTransport>(config, ue, make_middlebox(config));
        default:
            return std::make_unique<LiteTransport>(config, ue);
    }
}

}  // namespace mmwemu
