// SPDX-License-Identifier: GPL-2.0-only
// The mmWave cell, slot by slot.

#pragma once

#include <ns3/random-variable-stream.h>

#include <deque>
#include <functional>

#include "core/frame.h"
#include "core/harq.h"
#include "core/link_model.h"
#include "core/recorder.h"
#include "core/rlc_am.h"
#include "radio/mmwave_channel.h"
#include "transport/fixed_uplink.h"
#include "transport/transport.h"

namespace mmwemu {

using OnProgress = std::function<void(Time now)>;

/// One gNB with one UE and one bearer: packets of a transport through RLC AM, HARQ and the channel, slot by slot.
class MmwaveCell : private RlcBuffer {
  public:
    MmwaveCell(const Config& config, Transport& transport, Recorder& recorder);

    void run(const OnProgress& on_progress);

  private:
    void tick(const OnProgress& on_progress);
    void measure(Time now);
    void run_slots(Time now);
    void run_slot();
    void end_bin();
    bool push(Time now, const Sdu& packet) override;
    void take_reports(Time now);
    void transmit(Time now, TransportBlock block);
    void account_unused(Time now);
    void receive(Time now, const TransportBlock& block);

    struct CqiReport {
        Time due;
        int mcs;  // kOutOfRange if no block can be received
    };
    struct StatusReport {
        Time due;
        Status status;
    };
    static constexpr int kOutOfRange = -1;

    const Config& config_;
    Recorder& recorder_;
    Frame frame_;
    LinkModel link_;
    MmwaveChannel channel_;
    Transport& transport_;
    FixedUplink uplink_;
    RlcSender sender_;
    RlcReceiver receiver_;
    Harq harq_;
    ns3::Ptr<ns3::UniformRandomVariable> luck_;
    EffectiveSinr effective_db_{};
    int mcs_ = kOutOfRange;  // by the last CQI that has reached the gNB
    std::int64_t slot_ = 0;
    Time cqi_due_ = 0;
    std::deque<CqiReport> cqi_reports_;
    std::deque<StatusReport> status_reports_;
    std::vector<Sdu> delivered_;
};

}  // namespace mmwemu
