// SPDX-License-Identifier: GPL-2.0-only
#include "transport/middlebox.h"

#include <ns3/ipv4-header.h>
#include <ns3/simulator.h>
#include <ns3/tcp-header.h>

#include <algorithm>

#include "tests/near.h"
#include "transport/proxy_box.h"
#include "transport/split_box.h"
#include "transport/tcp.h"

using namespace mmwemu;

namespace {

constexpr Time kEnd = 2 * kSecond;
constexpr double kPossibleBps = 40e6;

Config config() {
    Config config;
    config.payload_bytes = 1400;
    config.core_delay = 10 * kMillisecond;
    config.transport = TransportKind::kTcp;
    config.tcp = {CongestionControl::kCubic, 1 << 22, 1 << 22, 10, 2, false, true, kSecond, 0};
    return config;
}

/// Rewrites the window that the UE advertises.
class WindowClamp : public Middlebox {
  public:
    explicit WindowClamp(std::uint16_t scaled_window) : scaled_window_(scaled_window) {}

    void from_ue(ns3::Ptr<ns3::Packet> packet) override {
        ns3::Ipv4Header ip;
        ns3::TcpHeader tcp;
        packet->RemoveHeader(ip);
        packet->RemoveHeader(tcp);
        if ((tcp.GetFlags() & ns3::TcpHeader::SYN) == 0) tcp.SetWindowSize(scaled_window_);
        packet->AddHeader(tcp);
        packet->AddHeader(ip);
        Middlebox::from_ue(packet);
    }

  private:
    std::uint16_t scaled_window_;
};

/// Payload that reaches the UE in the second half of the time, through a link without loss of 1 ms each way, bit/s.
double rate_bps(std::unique_ptr<Middlebox> middlebox) {
    const UeConfig ue{{}, 100e6, 0, 0};
    TcpTransport transport(config(), ue, std::move(middlebox));
    double bytes = 0;
    const auto down = [&](Time now, const Sdu& packet) {
        ns3::Simulator::Schedule(ns3::MilliSeconds(1),
                                 [&transport, packet, now] { transport.reached_ue(now + kMillisecond, packet); });
        if (now > kEnd / 2) bytes += packet.payload_bytes;
        return true;
    };
    const auto up = [&](Time now, const Sdu& packet) {
        ns3::Simulator::Schedule(ns3::MilliSeconds(1), [&transport, packet, now] {
            transport.reached_base_station(now + kMillisecond, packet);
        });
        return true;
    };
    transport.connect(down, up);
    for (int ms = 0; ms < kEnd / kMillisecond; ++ms) {
        ns3::Simulator::Schedule(ns3::MilliSeconds(ms), [&transport] { transport.inform(kPossibleBps, 0); });
    }
    ns3::Simulator::Stop(ns3::NanoSeconds(kEnd));
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
    return bytes * 8 / to_seconds(kEnd / 2);
}

}  // namespace

TEST_CASE("Without a middlebox TCP carries what its source writes") {
    CHECK(rate_bps(nullptr) == Near(100e6, 2e6));
}

TEST_CASE("A middlebox that rewrites the advertised window bounds TCP to a window each round trip") {
    // Buffers of 4 MiB scale the window by 2^7; a round trip is 22 ms.
    constexpr std::uint16_t kScaled = 700;
    CHECK(rate_bps(std::make_unique<WindowClamp>(kScaled)) == Near(kScaled * 128 * 8 / 0.022, 3e6));
}

TEST_CASE("milliProxy holds TCP at the rate that the MAC could give, from the first round trips on") {
    // With its headers: 1400 of 1452 bytes are payload, but the window counts payload alone.
    CHECK(rate_bps(std::make_unique<ProxyBox>(proxy::Settings{})) == Near(kPossibleBps, 0.03 * kPossibleBps));
}

TEST_CASE("A split proxy carries what the source writes") {
    CHECK(rate_bps(std::make_unique<SplitBox>(config())) == Near(100e6, 2e6));
}
