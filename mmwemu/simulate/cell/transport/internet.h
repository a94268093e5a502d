// SPDX-License-Identifier: GPL-2.0-only
// Transports through ns-3's internet stack.

#pragma once

#include <ns3/nstime.h>
#include <ns3/packet.h>

#include <deque>
#include <memory>
#include <vector>

#include "core/config.h"
#include "transport/end.h"
#include "transport/middlebox.h"
#include "transport/packet_store.h"
#include "transport/transport.h"

namespace mmwemu {

/// Two nodes with ns-3's internet stack, the remote host and the UE; between their devices the core, a middlebox and
/// the bearer. What they send is up to the transport that derives from this.
class InternetTransport : public Transport {
  public:
    /// Without a middlebox, packets pass unchanged.
    InternetTransport(const Config& config, const UeConfig& ue, std::unique_ptr<Middlebox> middlebox = nullptr);

    void connect(Push downlink, Push uplink) override;
    bool has_events() const override { return true; }
    void reached_ue(Time now, const Sdu& packet) override;
    void reached_base_station(Time now, const Sdu& packet) override;
    void inform(double rate_bps, std::uint64_t backlog_bytes) override { middlebox_->inform(rate_bps, backlog_bytes); }

  protected:
    /// Open the sockets; called as the traffic starts.
    virtual void start() = 0;

    const End& host() const { return host_; }
    const End& ue() const { return ue_; }

  private:
    /// Packets that come out of one block arrive together.
    struct Arrival {
        Time time;
        std::vector<ns3::Ptr<ns3::Packet>> packets;
    };
    bool leave_host(const ns3::Ptr<ns3::Packet>& packet);
    bool leave_ue(const ns3::Ptr<ns3::Packet>& packet);
    void enter_downlink(const ns3::Ptr<ns3::Packet>& packet);
    void arrive_at_ue();

    End host_, ue_;
    ns3::Time core_delay_, start_;
    std::unique_ptr<Middlebox> middlebox_;
    Push downlink_, uplink_;
    PacketStore down_, up_;
    std::deque<Arrival> arrivals_;  // at the UE, by time
};

}  // namespace mmwemu
