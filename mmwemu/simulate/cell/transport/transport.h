// SPDX-License-Identifier: GPL-2.0-only
// What sends and receives the packets of one UE: the seam between its traffic and its bearer.

#pragma once

#include <span>

#include "core/recorder.h"
#include "core/sdu.h"
#include "core/time.h"

namespace mmwemu {

/// The RLC buffer that packets of one direction enter: at the base station for the downlink, at the UE for the uplink.
class RlcBuffer {
  public:
    virtual ~RlcBuffer() = default;

    /// Queue a packet; if the buffer has no room, drop it and return false.
    virtual bool push(Time now, const Sdu& packet) = 0;
};

/// The traffic of one UE: the remote host, the core, and the UE's own end.
///
/// A transport pushes packets into the buffers that it was connected to, and is told which of them came out at the
/// other end. A `now` after the simulator's time is the end of the slot that is being computed.
class Transport {
  public:
    virtual ~Transport() = default;

    /// Start with these buffers; called once, before the simulator runs.
    virtual void connect(RlcBuffer& downlink, RlcBuffer& uplink) = 0;

    /// Whether packets come with events of the simulator, so that each slot has to be computed at its own time.
    /// Otherwise the slots of a bin may be computed in a row, at its start.
    virtual bool has_events() const = 0;

    /// At the start of a slot: push the packets that are there by `now`. Transports with events push them as they come.
    virtual void arrive(Time /*now*/) {}

    /// RLC has delivered these packets at the UE.
    virtual void reached_ue(Time now, std::span<const Sdu> packets) = 0;

    /// RLC has delivered these packets at the base station.
    virtual void reached_base_station(Time now, std::span<const Sdu> packets) = 0;

    /// At the end of a bin: write down the state of the sender.
    virtual void record(Bin& /*bin*/) const {}
};

}  // namespace mmwemu
