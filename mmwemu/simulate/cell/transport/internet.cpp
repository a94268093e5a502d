// SPDX-License-Identifier: GPL-2.0-only
#include "transport/internet.h"

#include <ns3/simulator.h>
#include <ns3/tag.h>

#include <array>
#include <utility>

namespace mmwemu {

namespace {

constexpr std::uint8_t kTcp = 6;
constexpr std::uint32_t kIpHeaderBytes = 20, kUdpHeaderBytes = 8;

Time simulated() {
    return ns3::Simulator::Now().GetNanoSeconds();
}

/// When the remote host sent a packet; stays with the packet through a middlebox.
class BornTag : public ns3::Tag {
  public:
    explicit BornTag(Time born = 0) : born_(born) {}
    static ns3::TypeId GetTypeId() {
        static const ns3::TypeId id = ns3::TypeId("mmwemu::BornTag").SetParent<ns3::Tag>().AddConstructor<BornTag>();
        return id;
    }
    ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }
    std::uint32_t GetSerializedSize() const override { return sizeof born_; }
    void Serialize(ns3::TagBuffer buffer) const override { buffer.WriteU64(static_cast<std::uint64_t>(born_)); }
    void Deserialize(ns3::TagBuffer buffer) override { born_ = static_cast<Time>(buffer.ReadU64()); }
    void Print(std::ostream& out) const override { out << born_; }
    Time born() const { return born_; }

  private:
    Time born_;
};

/// Bytes of the transport's payload in an IP packet.
std::uint32_t payload_bytes(const ns3::Packet& packet) {
    std::array<std::uint8_t, kIpHeaderBytes + 13> start{};
    packet.CopyData(start.data(), start.size());
    const std::uint32_t tcp_header_bytes = (start[kIpHeaderBytes + 12] >> 4) * 4u;
    return packet.GetSize() - kIpHeaderBytes - (start[9] == kTcp ? tcp_header_bytes : kUdpHeaderBytes);
}

}  // namespace

InternetTransport::InternetTransport(const Config& config, const UeConfig& ue, std::unique_ptr<Middlebox> middlebox)
    : host_(make_end(kHostAddress)),
      ue_(make_end(kUeAddress)),
      core_delay_(ns3::NanoSeconds(config.core_delay)),
      start_(ns3::NanoSeconds(ue.traffic_start)),
      middlebox_(middlebox ? std::move(middlebox) : std::make_unique<Middlebox>()) {
    host_.device->SetSendCallback({[this](ns3::Ptr<ns3::Packet> packet, const ns3::Address&, const ns3::Address&,
                                          std::uint16_t) { return leave_host(packet); }});
    ue_.device->SetSendCallback({[this](ns3::Ptr<ns3::Packet> packet, const ns3::Address&, const ns3::Address&,
                                        std::uint16_t) { return leave_ue(packet); }});
    middlebox_->connect([this](ns3::Ptr<ns3::Packet> packet) { enter_downlink(packet); },
                        [this](ns3::Ptr<ns3::Packet> packet) {
                            schedule(host_, core_delay_, [this, packet] { receive(host_, packet); });
                        });
}

void InternetTransport::connect(Push downlink, Push uplink) {
    downlink_ = std::move(downlink);
    uplink_ = std::move(uplink);
    schedule(host_, start_, [this] { start(); });
}

bool InternetTransport::leave_host(const ns3::Ptr<ns3::Packet>& packet) {
    packet->AddPacketTag(BornTag(simulated()));
    ns3::Simulator::Schedule(core_delay_, [this, packet] { middlebox_->from_server(packet); });
    return true;
}

void InternetTransport::enter_downlink(const ns3::Ptr<ns3::Packet>& packet) {
    const Time now = simulated();
    BornTag tag(now);
    packet->RemovePacketTag(tag);
    if (downlink_(now, {down_.next_id(), packet->GetSize(), payload_bytes(*packet), tag.born(), now}))
        down_.add(packet);
}

void InternetTransport::reached_ue(Time now, const Sdu& packet) {
    if (arrivals_.empty() || arrivals_.back().time != now) {
        arrivals_.push_back({now, {}});
        schedule(ue_, ns3::NanoSeconds(now) - ns3::Simulator::Now(), [this] { arrive_at_ue(); });
    }
    arrivals_.back().packets.push_back(down_.take(packet.id));
}

void InternetTransport::arrive_at_ue() {
    const Arrival arrival = std::move(arrivals_.front());
    arrivals_.pop_front();
    for (const auto& packet : arrival.packets) receive(ue_, packet);
}

bool InternetTransport::leave_ue(const ns3::Ptr<ns3::Packet>& packet) {
    const Time now = simulated();
    if (uplink_(now, {up_.next_id(), packet->GetSize(), payload_bytes(*packet), now, now})) up_.add(packet);
    return true;
}

void InternetTransport::reached_base_station(Time now, const Sdu& packet) {
    ns3::Simulator::Schedule(ns3::NanoSeconds(now) - ns3::Simulator::Now(),
                             [this, arrived = up_.take(packet.id)] { middlebox_->from_ue(arrived); });
}

}  // namespace mmwemu
