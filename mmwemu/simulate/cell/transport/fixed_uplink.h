// SPDX-License-Identifier: GPL-2.0-only
// An uplink without a radio: every packet arrives after the same time.

#pragma once

#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include "transport/transport.h"

namespace mmwemu {

/// Takes each packet from the UE to the base station after a fixed delay.
class FixedUplink : public RlcBuffer {
  public:
    FixedUplink(Transport& transport, Time delay) : transport_(transport), delay_(delay) {}

    bool push(Time now, const Sdu& packet) override {
        const Time there = now + delay_;
        const ns3::Time wait = ns3::NanoSeconds(there) - ns3::Simulator::Now();
        ns3::Simulator::Schedule(wait, [this, there, packet] { transport_.reached_base_station(there, {&packet, 1}); });
        return true;
    }

  private:
    Transport& transport_;
    Time delay_;
};

}  // namespace mmwemu
