// SPDX-License-Identifier: GPL-2.0-only
#include "transport/split_box.h"

#include <ns3/inet-socket-address.h>

namespace mmwemu {

SplitBox::SplitBox(const Config& config)
    : settings_(config.tcp),
      segment_bytes_(config.payload_bytes),
      as_ue_(make_end(kUeAddress)),
      as_server_(make_end(kHostAddress)) {
    as_ue_.device->SetSendCallback({[this](ns3::Ptr<ns3::Packet> packet, const ns3::Address&, const ns3::Address&,
                                           std::uint16_t) { return to_server_(packet), true; }});
    as_server_.device->SetSendCallback({[this](ns3::Ptr<ns3::Packet> packet, const ns3::Address&, const ns3::Address&,
                                               std::uint16_t) { return to_ue_(packet), true; }});
    listen();
}

void SplitBox::from_server(ns3::Ptr<ns3::Packet> packet) {
    schedule(as_ue_, {}, [this, packet] { receive(as_ue_, packet); });
}

void SplitBox::from_ue(ns3::Ptr<ns3::Packet> packet) {
    schedule(as_server_, {}, [this, packet] { receive(as_server_, packet); });
}

void SplitBox::listen() {
    listener_ = make_tcp_socket(as_ue_, settings_, segment_bytes_);
    listener_->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    listener_->Listen();
    listener_->SetAcceptCallback(ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
                                 {[this](ns3::Ptr<ns3::Socket> accepted, const ns3::Address&) { open(accepted); }});
}

void SplitBox::open(ns3::Ptr<ns3::Socket> accepted) {
    accepted_ = accepted;
    accepted_->SetRecvCallback({[this](ns3::Ptr<ns3::Socket>) { carry(); }});
    onwards_ = make_tcp_socket(as_server_, settings_, segment_bytes_);
    onwards_->Bind();
    const auto begin = [this](ns3::Ptr<ns3::Socket>) {
        connected_ = true;
        carry();
    };
    onwards_->SetConnectCallback({begin}, {});
    onwards_->SetSendCallback({[this](ns3::Ptr<ns3::Socket>, std::uint32_t) { carry(); }});
    onwards_->Connect(ns3::InetSocketAddress(as_ue_.address, kPort));
}

void SplitBox::carry() {
    if (!connected_) return;
    // What the sender's buffer has no room for stays in the receiver's, whose window closes.
    while (const std::uint32_t room = onwards_->GetTxAvailable()) {
        const ns3::Ptr<ns3::Packet> data = accepted_->Recv(room, 0);
        if (!data || data->GetSize() == 0) break;
        onwards_->Send(ns3::Create<ns3::Packet>(data->GetSize()));
    }
}

}  // namespace mmwemu
