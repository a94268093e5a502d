// SPDX-License-Identifier: GPL-2.0-only

#include "traffic.h"

#include <ns3/inet-socket-address.h>
#include <ns3/seq-ts-header.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace mmwemu {

namespace {

constexpr std::uint16_t kPort = 5000;
constexpr double kBinS = 0.001;

}  // namespace

void Traffic::install(ns3::Ptr<ns3::Node> sender, ns3::Ptr<ns3::Node> ue, ns3::Ipv4Address ue_address) {
    const ns3::TypeId udp = ns3::TypeId::LookupByName("ns3::UdpSocketFactory");
    in_ = ns3::Socket::CreateSocket(ue, udp);
    in_->SetAttribute("RcvBufSize", ns3::UintegerValue(1u << 30));
    in_->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    in_->SetRecvCallback(ns3::MakeCallback(&Traffic::receive, this));
    out_ = ns3::Socket::CreateSocket(sender, udp);
    out_->Bind();
    out_->Connect(ns3::InetSocketAddress(ue_address, kPort));
    ns3::Simulator::ScheduleWithContext(sender->GetId(), ns3::Seconds(settings_.start_s), &Traffic::send, this);
}

double Traffic::sent_s(std::size_t number) const {
    return settings_.start_s + static_cast<double>(number) * settings_.payload_bytes * 8.0 / settings_.rate_bps;
}

void Traffic::send() {
    ns3::SeqTsHeader header;
    header.SetSeq(static_cast<std::uint32_t>(sent_));
    auto packet = ns3::Create<ns3::Packet>(settings_.payload_bytes - header.GetSerializedSize());
    packet->AddHeader(header);
    out_->Send(packet);
    arrived_s_.push_back(-1.0);
    ++sent_;
    ns3::Simulator::Schedule(ns3::Seconds(sent_s(sent_)) - ns3::Simulator::Now(), &Traffic::send, this);
}

void Traffic::receive(ns3::Ptr<ns3::Socket> socket) {
    while (auto packet = socket->Recv()) {
        ns3::SeqTsHeader header;
        packet->RemoveHeader(header);
        arrived_s_.at(header.GetSeq()) = ns3::Simulator::Now().GetSeconds();
    }
}

void Traffic::write(const std::string& path) const {
    const auto bins = static_cast<std::size_t>(std::llround(settings_.duration_s / kBinS));
    std::vector<double> reached(bins), delivered(bins), delay_s(bins), drops(bins);
    // RLC delivers in order: what is missing before the last packet that arrived is lost, and so is what came after it
    // and found the buffer full.
    std::size_t last = 0, waiting_at_end = 0;
    for (std::size_t i = 0; i < sent_; ++i) last = arrived_s_[i] >= 0 ? i : last;
    for (std::size_t i = 0; i < sent_; ++i) {
        const auto at_station = static_cast<std::size_t>((sent_s(i) + settings_.core_delay_s) / kBinS);
        if (at_station >= bins) continue;
        reached[at_station] += 1;
        if (arrived_s_[i] >= 0) {
            const auto bin = std::min(bins - 1, static_cast<std::size_t>(arrived_s_[i] / kBinS));
            delivered[bin] += 1;
            delay_s[bin] += arrived_s_[i] - sent_s(i);
        } else if (i < last || ++waiting_at_end * settings_.payload_bytes > settings_.rlc_buffer_bytes) {
            drops[at_station] += 1;
        }
    }
    std::ofstream out(path);
    out.precision(10);
    out << "time\tlos\tbytes\tdelay\tdrops\tqueue\n";
    double waiting = 0;
    for (std::size_t i = 0; i < bins; ++i) {
        waiting += reached[i] - drops[i] - delivered[i];
        const double mean_s = delivered[i] > 0 ? delay_s[i] / delivered[i] : std::numeric_limits<double>::quiet_NaN();
        out << static_cast<double>(i) * kBinS << '\t' << settings_.ray(static_cast<double>(i) * kBinS).los << '\t'
            << delivered[i] * settings_.payload_bytes << '\t' << mean_s << '\t' << drops[i] << '\t'
            << std::max(0.0, waiting) * settings_.payload_bytes << '\n';
    }
    if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace mmwemu
