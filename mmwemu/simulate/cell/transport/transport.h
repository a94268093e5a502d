// SPDX-License-Identifier: GPL-2.0-only
// What sends and receives the packets of one UE: the seam between its traffic and its bearer.

#pragma once

#include <functional>

#include "core/recorder.h"
#include "core/sdu.h"
#include "core/time.h"

namespace mmwemu {

/// Queues a packet in the RLC buffer of one direction; false if the buffer has no room and the packet is dropped.
using Push = std::function<bool(Time now, const Sdu& packet)>;

/// The traffic of one UE: the remote host, the core, and the UE's own end.
///
/// A transport pushes packets into the two buffers that it is connected to, at the base station and at the UE, and is
/// told which of them came out at the other end. A `now` after the simulator's time is the end of the slot that is
/// being computed.
class Transport {
  public:
    virtual ~Transport() = default;

    /// Start with these buffers; called once, before the simulator runs.
    virtual void connect(Push downlink, Push uplink) = 0;

    /// Whether packets come with events of the simulator, so that each slot has to be computed at its own time.
    /// Otherwise the slots of a bin may be computed in a row, at its start.
    virtual bool has_events() const = 0;

    /// At the start of a slot: push the packets that are there by `now`. Transports with events push them as they come.
    virtual void arrive(Time /*now*/) {}

    /// RLC has delivered this packet at the UE.
    virtual void reached_ue(Time now, const Sdu& packet) = 0;

    /// RLC has delivered this packet at the base station.
    virtual void reached_base_station(Time now, const Sdu& packet) = 0;

    /// At the start of a slot: what the MAC could give, and the bytes that wait in the RLC buffer.
    virtual void inform(double /*rate_bps*/, std::uint64_t /*backlog_bytes*/) {}

    /// At the end of a bin: write down the state of the sender.
    virtual void record(Bin& /*bin*/) {}
};

}  // namespace mmwemu
