// SPDX-License-Identifier: GPL-2.0-only
// The mmWave cell, slot by slot.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/bearer.h"
#include "core/frame.h"
#include "core/link_model.h"
#include "core/mac.h"
#include "core/recorder.h"
#include "radio/channel.h"
#include "transport/transport.h"

namespace mmwemu {

using OnProgress = std::function<void(Time now)>;

/// What a UE's packets come from, and where its trace goes.
struct UeEnds {
    Transport& transport;
    Recorder& recorder;
};

/// One gNB and its UEs: packets of their transports through RLC AM, HARQ and the channel, slot by slot.
class MmwaveCell {
  public:
    /// `ues` are in the order of the configuration.
    MmwaveCell(const Config& config, const std::vector<UeEnds>& ues);

    void run(const OnProgress& on_progress);

  private:
    /// One UE: its channel, its traffic, its bearer.
    struct Ue {
        Transport& transport;
        Recorder& recorder;
        std::unique_ptr<Channel> channel;
        Bearer bearer;
        Time sample_due = 0;
    };

    void tick(const OnProgress& on_progress);
    void measure(Time now, Ue& ue);
    void run_slots(Time now);
    void run_slot();
    void end_bin();

    void connect(Ue& ue);

    std::size_t bins_;
    Frame frame_;
    LinkModel link_;
    std::vector<std::unique_ptr<Ue>> ues_;
    std::unique_ptr<Mac> mac_;
    Time processing_;
    bool has_uplink_;
    std::int64_t slot_ = 0;
};

}  // namespace mmwemu
