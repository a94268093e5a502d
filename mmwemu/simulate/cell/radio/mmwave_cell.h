// SPDX-License-Identifier: GPL-2.0-only
// The mmWave cell, slot by slot.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/bearer.h"
#include "core/frame.h"
#include "core/link_model.h"
#include "core/recorder.h"
#include "core/scheduler.h"
#include "core/source.h"
#include "radio/channel.h"

namespace mmwemu {

using OnProgress = std::function<void(Time now)>;

/// One gNB and its UEs: UDP packets through RLC AM, HARQ and the channel, slot by slot.
///
/// Packets are accounted one by one, but are not ns-3 packets; the ns-3 simulator runs only to give the channel its
/// time.
class MmwaveCell {
  public:
    MmwaveCell(const Config& config, Recorder& recorder);

    void run(const OnProgress& on_progress);

  private:
    /// One UE: its channel, its source at the remote host, its bearer.
    struct Ue {
        Recorder& recorder;
        std::unique_ptr<Channel> channel;
        CbrSource source;
        Bearer bearer;
        Time sample_due = 0;
    };

    void tick(const OnProgress& on_progress);
    void measure(Time now, Ue& ue);
    void run_slot();

    Recorder& recorder_;
    Frame frame_;
    LinkModel link_;
    std::vector<std::unique_ptr<Ue>> ues_;
    std::unique_ptr<Scheduler> scheduler_;
    std::int64_t slot_ = 0;
};

}  // namespace mmwemu
