// SPDX-License-Identifier: GPL-2.0-only
#include "transport/udp.h"

#include <ns3/inet-socket-address.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

#include <utility>

namespace mmwemu {

UdpTransport::UdpTransport(const Config& config, const UeConfig& ue, std::unique_ptr<Middlebox> middlebox)
    : InternetTransport(config, ue, std::move(middlebox)),
      payload_bytes_(config.payload_bytes),
      start_(ue.traffic_start),
      rate_bps_(ue.rate_bps),
      uplink_rate_bps_(ue.uplink_rate_bps) {}

void UdpTransport::start() {
    if (rate_bps_ > 0) open(rate_bps_, host(), ue());
    if (uplink_rate_bps_ > 0) open(uplink_rate_bps_, ue(), host());
}

void UdpTransport::open(double rate_bps, const End& from, const End& to) {
    // The times of the source are those at the sending end.
    Flow& flow = *flows_.emplace_back(std::make_unique<Flow>(CbrSource(rate_bps, payload_bytes_, start_, 0)));
    flow.receiver = ns3::Socket::CreateSocket(to.node, ns3::UdpSocketFactory::GetTypeId());
    flow.receiver->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    flow.receiver->SetRecvCallback({[](ns3::Ptr<ns3::Socket> socket) {
        while (socket->Recv()) {
        }
    }});
    flow.sender = ns3::Socket::CreateSocket(from.node, ns3::UdpSocketFactory::GetTypeId());
    flow.sender->Bind();
    flow.sender->Connect(ns3::InetSocketAddress(to.address, kPort));
    schedule(from, {}, [&flow] { send(flow); });
}

void UdpTransport::send(Flow& flow) {
    const Time now = ns3::Simulator::Now().GetNanoSeconds();
    for (Sdu packet; flow.source.take(now, packet);) flow.sender->Send(ns3::Create<ns3::Packet>(packet.payload_bytes));
    ns3::Simulator::Schedule(ns3::NanoSeconds(flow.source.next_born() - now), [&flow] { send(flow); });
}

}  // namespace mmwemu
