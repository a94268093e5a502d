// SPDX-License-Identifier: GPL-2.0-only
#include "radio/mmwave_cell.h"

#include <ns3/random-variable-stream.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <cmath>

#include "radio/mi_tables.h"

namespace mmwemu {

namespace {

constexpr Time kSampleTime = kMillisecond;
// Random streams of each UE.
constexpr std::int64_t kStreamsPerUe = 2000, kChannelStream = 1, kLuckStream = 1000, kUplinkLuckStream = 1001;
static_assert(kChannelStream + kStreamsPerChannel <= kLuckStream);

Luck make_luck(std::int64_t stream) {
    auto draw = ns3::CreateObject<ns3::UniformRandomVariable>();
    draw->SetStream(stream);
    return [draw] { return draw->GetValue(); };
}

/// An uplink without a radio: every packet reaches the base station after the same time.
Push fixed_uplink(Transport& transport, Time delay) {
    return [&transport, delay](Time now, const Sdu& packet) {
        const Time there = now + delay;
        ns3::Simulator::Schedule(ns3::NanoSeconds(there) - ns3::Simulator::Now(),
                                 [&transport, there, packet] { transport.reached_base_station(there, packet); });
        return true;
    };
}

}  // namespace

MmwaveCell::MmwaveCell(const Config& config, const std::vector<UeEnds>& ues)
    : bins_(config.bins()),
      frame_(make_frame(config.mmwave.frame, config.mmwave.bandwidth_hz)),
      link_(tabulate_lte_error_model(), frame_),
      processing_(config.mmwave.processing),
      has_uplink_(config.mmwave.uplink.share > 0) {
    std::vector<Bearer*> bearers;
    for (std::size_t i = 0; i < ues.size(); ++i) {
        Transport& transport = ues[i].transport;
        Recorder& recorder = ues[i].recorder;
        const auto to_ue = [this, &transport, &recorder, next_id = std::uint64_t{0}](Time received,
                                                                                     const Sdu& packet) mutable {
            const Time now = received + processing_;
            recorder.at(now).rlc_losses += static_cast<std::uint32_t>(packet.id - next_id);
            next_id = packet.id + 1;
            recorder.delivered(now, packet);
            transport.reached_ue(now, packet);
        };
        const auto to_base_station = [this, &transport, &recorder](Time received, const Sdu& packet) {
            const Time now = received + processing_;
            recorder.at(now).uplink_payload_bytes += packet.payload_bytes;
            transport.reached_base_station(now, packet);
        };
        const std::int64_t stream = static_cast<std::int64_t>(i) * kStreamsPerUe;
        ues_.push_back(std::make_unique<Ue>(
            transport, recorder, make_channel(config, config.ues[i].route, stream + kChannelStream),
            Bearer(config, frame_, link_, make_luck(stream + kLuckStream), make_luck(stream + kUplinkLuckStream),
                   recorder, {to_ue, to_base_station})));
        connect(*ues_.back());
        bearers.push_back(&ues_.back()->bearer);
    }
    mac_ = std::make_unique<Mac>(config.mmwave, frame_, std::move(bearers));
}

void MmwaveCell::connect(Ue& ue) {
    Bearer& bearer = ue.bearer;
    const Push down = [&bearer](Time now, const Sdu& packet) { return bearer.push_down(now, packet); };
    const Push up = [&bearer](Time, const Sdu& packet) { return bearer.push_up(packet); };
    ue.transport.connect(down,
                         has_uplink_ ? up : fixed_uplink(ue.transport, (1 + kReportSlots) * frame_.slot + processing_));
}

void MmwaveCell::run(const OnProgress& on_progress) {
    for (std::size_t bin = 0; bin < bins_; ++bin) {
        const auto at = ns3::MilliSeconds(bin);
        ns3::Simulator::Schedule(at, [this, &on_progress] { tick(on_progress); });
    }
    ns3::Simulator::Stop(ns3::MilliSeconds(bins_));
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
}

void MmwaveCell::tick(const OnProgress& on_progress) {
    const Time now = ns3::Simulator::Now().GetNanoSeconds();
    run_slots(now);
    on_progress(now + kSampleTime);
}

/// Compute the slots of a bin, now or each at its time.
void MmwaveCell::run_slots(Time now) {
    const auto end = (now + kSampleTime + frame_.slot - 1) / frame_.slot;
    const bool events =
        std::any_of(ues_.begin(), ues_.end(), [](const auto& ue) { return ue->transport.has_events(); });
    if (!events) {
        while (slot_ < end) run_slot();
        return end_bin();
    }
    for (std::int64_t slot = slot_; slot < end; ++slot) {
        ns3::Simulator::Schedule(ns3::NanoSeconds(slot * frame_.slot - now), [this, slot, end] {
            run_slot();
            if (slot + 1 == end) end_bin();
        });
    }
}

void MmwaveCell::end_bin() {
    for (const auto& ue : ues_) {
        Bin& bin = ue->recorder.at((slot_ - 1) * frame_.slot);
        bin.queue_bytes = static_cast<double>(ue->bearer.queue_bytes());
        ue->transport.record(bin);
    }
}

void MmwaveCell::measure(Time now, Ue& ue) {
    const ChannelSample sample = ue.channel->sample(now);
    ue.sample_due += ue.channel->period();
    if (Bin& bin = ue.recorder.at(now); std::isnan(bin.los)) bin.los = sample.sight.los ? 1 : 0;
    ue.bearer.measure(now, sample.gain, sample.searching);
}

void MmwaveCell::run_slot() {
    const Time now = slot_ * frame_.slot;
    for (const auto& ue : ues_) {
        if (now >= ue->sample_due) measure(now, *ue);
        ue->transport.arrive(now);
        ue->transport.inform(ue->bearer.possible_bps(), ue->bearer.queue_bytes());
    }
    mac_->run_slot(now);
    ++slot_;
}

}  // namespace mmwemu
