// SPDX-License-Identifier: GPL-2.0-only
// The mmWave cell, slot by slot.

#pragma once

#include <ns3/random-variable-stream.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "core/frame.h"
#include "core/harq.h"
#include "core/link_model.h"
#include "core/recorder.h"
#include "core/rlc_am.h"
#include "radio/channel.h"

namespace mmwemu {

using OnProgress = std::function<void(Time now)>;

/// One gNB with one UE and one bearer: UDP packets through RLC AM, HARQ and the channel, slot by slot.
///
/// Packets are accounted one by one, but are not ns-3 packets; the ns-3 simulator runs only to give the channel its
/// time.
class MmwaveCell {
  public:
    MmwaveCell(const Config& config, Recorder& recorder);

    void run(const OnProgress& on_progress);

  private:
    void tick(const OnProgress& on_progress);
    void measure(Time now);
    void run_slot();
    void take_arrivals(Time now);
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
    std::unique_ptr<Channel> channel_;
    CbrSource source_;
    RlcSender sender_;
    RlcReceiver receiver_;
    Harq harq_;
    ns3::Ptr<ns3::UniformRandomVariable> luck_;
    double sinr_of_unit_gain_ = 0;
    std::vector<double> sinr_;  // linear, by band
    EffectiveSinr effective_db_{};
    int mcs_ = kOutOfRange;  // by the last CQI that has reached the gNB
    std::int64_t slot_ = 0;
    Time cqi_due_ = 0;
    std::deque<CqiReport> cqi_reports_;
    std::deque<StatusReport> status_reports_;
    std::vector<Sdu> delivered_;
};

}  // namespace mmwemu
