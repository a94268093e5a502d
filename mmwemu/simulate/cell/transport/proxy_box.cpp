// SPDX-License-Identifier: GPL-2.0-only
#include "transport/proxy_box.h"

#include <ns3/simulator.h>

#include <utility>
#include <vector>

namespace mmwemu {

namespace {

proxy::Time simulated() {
    return ns3::Simulator::Now().GetNanoSeconds();
}

/// The packet with another window. What is cut off and put in front leaves its payload as it is.
void rewrite(ns3::Ptr<ns3::Packet>& packet, std::uint16_t window, proxy::Bytes start) {
    std::vector<std::uint8_t> headers(start.begin(), start.begin() + proxy::parse(start)->header_bytes);
    proxy::set_window(headers, window, false);  // ns-3 computes no checksums
    const auto rewritten = ns3::Create<ns3::Packet>(headers.data(), static_cast<std::uint32_t>(headers.size()));
    packet->RemoveAtStart(static_cast<std::uint32_t>(headers.size()));
    rewritten->AddAtEnd(packet);
    packet = rewritten;
}

}  // namespace

ProxyBox::ProxyBox(const proxy::Settings& settings)
    : proxy_(settings, {[this](Packet packet) { Middlebox::from_server(std::move(packet)); },
                        [this](Packet packet) { Middlebox::from_ue(std::move(packet)); },
                        [this](const Packet& packet) { return start(packet); },
                        [this](Packet& packet, std::uint16_t window) { rewrite(packet, window, start(packet)); },
                        [](const std::vector<std::uint8_t>& bytes) {
                            return ns3::Create<ns3::Packet>(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
                        }}) {}

proxy::Bytes ProxyBox::start(const Packet& packet) {
    return {start_.data(), packet->CopyData(start_.data(), kMostHeaderBytes)};
}

void ProxyBox::from_server(Packet packet) {
    proxy_.from_server(simulated(), std::move(packet));
}

void ProxyBox::from_ue(Packet packet) {
    proxy_.from_client(simulated(), std::move(packet));
}

void ProxyBox::inform(double rate_bps, std::uint64_t backlog_bytes) {
    proxy_.inform(simulated(), {rate_bps, backlog_bytes});
}

}  // namespace mmwemu
