// SPDX-License-Identifier: GPL-2.0-only
#include "transport/end.h"

#include <ns3/boolean.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/ipv4.h>
#include <ns3/mac48-address.h>
#include <ns3/simulator.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/uinteger.h>

#include "transport/congestion_control.h"

namespace mmwemu {

namespace {

constexpr std::uint16_t kIpv4 = 0x0800, kMtuBytes = 65'535;
constexpr std::uint32_t kDataRetries = 15;  // as tcp_retries2 of Linux

}  // namespace

End make_end(const char* address) {
    End end{ns3::Ipv4Address(address), ns3::CreateObject<ns3::Node>(), ns3::CreateObject<ns3::VirtualNetDevice>()};
    ns3::InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(ns3::Ipv4StaticRoutingHelper());
    stack.Install(end.node);
    end.device->SetAddress(ns3::Mac48Address::Allocate());
    end.device->SetNeedsArp(false);
    end.device->SetIsPointToPoint(true);
    end.device->SetMtu(kMtuBytes);
    end.node->AddDevice(end.device);
    const auto ip = end.node->GetObject<ns3::Ipv4>();
    const std::uint32_t interface = ip->AddInterface(end.device);
    ip->AddAddress(interface, {end.address, ns3::Ipv4Mask("255.255.255.0")});
    ip->SetUp(interface);
    return end;
}

void schedule(const End& end, ns3::Time wait, const std::function<void()>& event) {
    ns3::Simulator::ScheduleWithContext(end.node->GetId(), wait, event);
}

void receive(const End& end, const ns3::Ptr<ns3::Packet>& packet) {
    const ns3::Address address = end.device->GetAddress();
    end.device->Receive(packet, kIpv4, address, address, ns3::NetDevice::PACKET_HOST);
}

ns3::Ptr<ns3::Socket> make_tcp_socket(const End& end, const TcpConfig& tcp, std::uint32_t segment_bytes) {
    const auto control = congestion_control_type(tcp.congestion_control);
    const auto socket = end.node->GetObject<ns3::TcpL4Protocol>()->CreateSocket(control);
    socket->SetAttribute("SegmentSize", ns3::UintegerValue(segment_bytes));
    socket->SetAttribute("SndBufSize", ns3::UintegerValue(tcp.send_buffer_bytes));
    socket->SetAttribute("RcvBufSize", ns3::UintegerValue(tcp.receive_buffer_bytes));
    socket->SetAttribute("InitialCwnd", ns3::UintegerValue(tcp.initial_window));
    socket->SetAttribute("DelAckCount", ns3::UintegerValue(tcp.delayed_ack));
    socket->SetAttribute("DataRetries", ns3::UintegerValue(kDataRetries));
    socket->SetAttribute("Sack", ns3::BooleanValue(tcp.sack));
    socket->SetAttribute("MinRto", ns3::TimeValue(ns3::NanoSeconds(tcp.min_rto)));
    return socket;
}

}  // namespace mmwemu
