// SPDX-License-Identifier: GPL-2.0-only
#include "transport/tcp.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/inet-socket-address.h>
#include <ns3/simulator.h>
#include <ns3/tcp-socket-base.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace mmwemu {

namespace {

constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kNoThreshold = std::numeric_limits<std::uint32_t>::max();

}  // namespace

TcpTransport::TcpTransport(const Config& config, const UeConfig& ue, std::unique_ptr<Middlebox> middlebox)
    : InternetTransport(config, ue, std::move(middlebox)),
      settings_(config.tcp),
      segment_bytes_(config.payload_bytes),
      pacing_bps_(static_cast<std::uint64_t>(ue.rate_bps)),
      interval_(ns3::Seconds(ue.rate_bps == 0 ? 0 : config.payload_bytes * 8.0 / ue.rate_bps)),
      unwritten_bytes_(ue.rate_bps == 0            ? 0
                       : settings_.file_bytes == 0 ? kEndless
                                                   : settings_.file_bytes) {}

void TcpTransport::start() {
    if (unwritten_bytes_ == 0) return;
    listener_ = make_tcp_socket(ue(), settings_, segment_bytes_);
    listener_->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    listener_->Listen();
    listener_->SetAcceptCallback(ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
                                 {[](ns3::Ptr<ns3::Socket> accepted, const ns3::Address&) {
                                     accepted->SetRecvCallback({[](ns3::Ptr<ns3::Socket> socket) {
                                         while (socket->Recv()) {
                                         }
                                     }});
                                 }});
    if (settings_.pacing) {
        // Otherwise ns-3 sends the first window at once, however large it is, and later twice the window in a round
        // trip, whatever the source offers.
        ns3::Config::SetDefault("ns3::TcpSocketState::PaceInitialWindow", ns3::BooleanValue(true));
        ns3::Config::SetDefault("ns3::TcpSocketState::MaxPacingRate", ns3::DataRateValue(ns3::DataRate(pacing_bps_)));
    }
    sender_ = make_tcp_socket(host(), settings_, segment_bytes_);
    if (settings_.pacing) ns3::DynamicCast<ns3::TcpSocketBase>(sender_)->SetPacingStatus(true);
    sender_->Bind();
    trace_sender();
    sender_->SetConnectCallback({[this](ns3::Ptr<ns3::Socket>) { write(); }}, {});
    sender_->SetSendCallback({[this](ns3::Ptr<ns3::Socket>, std::uint32_t room) {
        if (waiting_ && room >= segment_bytes_) schedule_write();
    }});
    sender_->Connect(ns3::InetSocketAddress(ue().address, kPort));
}

void TcpTransport::trace_sender() {
    using Bytes = ns3::Callback<void, std::uint32_t, std::uint32_t>;
    sender_->TraceConnectWithoutContext("CongestionWindow",
                                        Bytes([this](std::uint32_t, std::uint32_t bytes) { cwnd_bytes_ = bytes; }));
    sender_->TraceConnectWithoutContext("SlowStartThreshold", Bytes([this](std::uint32_t, std::uint32_t bytes) {
                                            ssthresh_bytes_ = bytes == kNoThreshold ? Bin::kNone : bytes;
                                        }));
    sender_->TraceConnectWithoutContext(
        "LastRTT", ns3::Callback<void, ns3::Time, ns3::Time>(
                       [this](ns3::Time, ns3::Time rtt) { rtt_s_ = to_seconds(rtt.GetNanoSeconds()); }));
    using Retransmission = ns3::Callback<void, ns3::Ptr<const ns3::Packet>, const ns3::TcpHeader&, const ns3::Address&,
                                         const ns3::Address&, ns3::Ptr<const ns3::TcpSocketBase>>;
    sender_->TraceConnectWithoutContext("Retransmission", Retransmission([this](auto&&...) { ++retransmissions_; }));
}

void TcpTransport::schedule_write() {
    waiting_ = false;
    ns3::Simulator::Schedule(interval_, [this] { write(); });
}

void TcpTransport::write() {
    if (unwritten_bytes_ == 0) return;
    if (sender_->GetTxAvailable() < segment_bytes_) {
        waiting_ = true;
        return;
    }
    const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(segment_bytes_, unwritten_bytes_));
    sender_->Send(ns3::Create<ns3::Packet>(bytes));
    unwritten_bytes_ -= bytes;
    schedule_write();
}

void TcpTransport::record(Bin& bin) {
    bin.cwnd_bytes = cwnd_bytes_;
    bin.ssthresh_bytes = ssthresh_bytes_;
    bin.rtt_s = rtt_s_;
    bin.retransmissions = std::exchange(retransmissions_, 0);
}

}  // namespace mmwemu
