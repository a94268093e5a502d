// SPDX-License-Identifier: GPL-2.0-only
#include "transport/udp.h"

#include <ns3/inet-socket-address.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

#include <utility>

namespace mmwemu {

namespace {

constexpr std::uint16_t kPort = 5000;

}  // namespace

UdpTransport::UdpTransport(const Config& config, std::unique_ptr<Middlebox> middlebox)
    : InternetTransport(config, std::move(middlebox)),
      source_(config.rate_bps, config.payload_bytes, config.traffic_start, 0) {}

void UdpTransport::start() {
    receiver_ = ns3::Socket::CreateSocket(ue(), ns3::UdpSocketFactory::GetTypeId());
    receiver_->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    receiver_->SetRecvCallback(ns3::Callback<void, ns3::Ptr<ns3::Socket>>([](ns3::Ptr<ns3::Socket> socket) {
        while (socket->Recv()) {
        }
    }));
    sender_ = ns3::Socket::CreateSocket(host(), ns3::UdpSocketFactory::GetTypeId());
    sender_->Bind();
    sender_->Connect(ns3::InetSocketAddress(ue_address(), kPort));
    send();
}

void UdpTransport::send() {
    const Time now = ns3::Simulator::Now().GetNanoSeconds();
    for (Sdu packet; source_.take(now, packet);) sender_->Send(ns3::Create<ns3::Packet>(packet.payload_bytes));
    ns3::Simulator::Schedule(ns3::NanoSeconds(source_.next_born() - now), [this] { send(); });
}

}  // namespace mmwemu
