// SPDX-License-Identifier: GPL-2.0-only
#include "radio/mmwave_cell.h"

#include <ns3/random-variable-stream.h>
#include <ns3/simulator.h>

#include <algorithm>

#include "radio/mi_tables.h"

namespace mmwemu {

namespace {

constexpr Time kSampleTime = kMillisecond;
constexpr std::int64_t kChannelStream = 1, kLuckStream = 1000;
constexpr std::int64_t kUplinkSlots = 3;

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

MmwaveCell::MmwaveCell(const Config& config, Transport& transport, Recorder& recorder)
    : recorder_(recorder),
      frame_(make_frame(config.mmwave.frame, config.mmwave.bandwidth_hz)),
      link_(tabulate_lte_error_model(), frame_),
      scheduler_(std::make_unique<RoundRobin>()) {
    const auto to_ue = [&transport, &recorder](Time now, const Sdu& packet) {
        recorder.delivered(now, packet);
        transport.reached_ue(now, packet);
    };
    ues_.push_back(std::make_unique<Ue>(recorder, make_channel(config, config.route, kChannelStream), transport,
                                        Bearer(config, frame_, link_, make_luck(kLuckStream), recorder, to_ue)));
    Bearer& bearer = ues_.back()->bearer;
    transport.connect([&bearer](Time now, const Sdu& packet) { return bearer.push_down(now, packet); },
                      fixed_uplink(transport, kUplinkSlots * frame_.slot));
}

void MmwaveCell::run(const OnProgress& on_progress) {
    for (std::size_t bin = 0; bin < recorder_.size(); ++bin) {
        const auto at = ns3::MilliSeconds(bin);
        ns3::Simulator::Schedule(at, [this, &on_progress] { tick(on_progress); });
    }
    ns3::Simulator::Stop(ns3::MilliSeconds(recorder_.size()));
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
}

void MmwaveCell::tick(const OnProgress& on_progress) {
    const Time now = ns3::Simulator::Now().GetNanoSeconds();
    for (const auto& ue : ues_) measure(now, *ue);
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
    ue.recorder.at(now).los = sample.sight.los ? 1 : 0;
    ue.bearer.measure(now, sample.gain);
}

void MmwaveCell::run_slot() {
    const Time now = slot_ * frame_.slot;
    std::vector<bool> wants;
    for (const auto& ue : ues_) {
        ue->transport.arrive(now);
        ue->bearer.begin_slot(now);
        wants.push_back(ue->bearer.wants_slot(now));
    }
    const std::optional<std::size_t> granted = scheduler_->pick(wants);
    for (std::size_t i = 0; i < ues_.size(); ++i) ues_[i]->bearer.end_slot(now, granted == i);
    ++slot_;
}

}  // namespace mmwemu
