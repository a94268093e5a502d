// SPDX-License-Identifier: GPL-2.0-only
#include "radio/mmwave_cell.h"

#include <ns3/random-variable-stream.h>
#include <ns3/simulator.h>

#include "radio/mi_tables.h"

namespace mmwemu {

namespace {

constexpr Time kSampleTime = kMillisecond;
constexpr std::int64_t kChannelStream = 1, kLuckStream = 1000;

Luck make_luck(std::int64_t stream) {
    auto draw = ns3::CreateObject<ns3::UniformRandomVariable>();
    draw->SetStream(stream);
    return [draw] { return draw->GetValue(); };
}

}  // namespace

MmwaveCell::MmwaveCell(const Config& config, Recorder& recorder)
    : recorder_(recorder),
      frame_(make_frame(config.mmwave.frame, config.mmwave.bandwidth_hz)),
      link_(tabulate_lte_error_model(), frame_),
      scheduler_(std::make_unique<RoundRobin>()) {
    const auto deliver = [&recorder](Time now, const Sdu& packet) {
        recorder.delivered(now, packet.born, packet.bytes - kHeaderBytes);
    };
    ues_.push_back(
        std::make_unique<Ue>(recorder, make_channel(config, config.route, kChannelStream),
                             CbrSource(config.rate_bps, config.payload_bytes, config.traffic_start, config.core_delay),
                             Bearer(config, frame_, link_, make_luck(kLuckStream), recorder, deliver)));
}

void MmwaveCell::run(const OnProgress& on_progress) {
    for (std::size_t bin = 0; bin < recorder_.size(); ++bin) {
        const auto at = ns3::MilliSeconds(bin);
        ns3::Simulator::Schedule(at, [this, &on_progress] { tick(on_progress); });
    }
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
}

void MmwaveCell::tick(const OnProgress& on_progress) {
    const Time now = ns3::Simulator::Now().GetNanoSeconds();
    while (slot_ * frame_.slot < now + kSampleTime) run_slot();
    for (const auto& ue : ues_) ue->recorder.at(now).queue_bytes = static_cast<double>(ue->bearer.queue_bytes());
    on_progress(now + kSampleTime);
}

void MmwaveCell::measure(Time now, Ue& ue) {
    const ChannelSample sample = ue.channel->sample(now);
    ue.sample_due += ue.channel->period();
    ue.recorder.at(now).los = sample.sight.los ? 1 : 0;
    ue.bearer.measure(now, sample.gain);
}

void MmwaveCell::run_slot() {
    const Time now = slot_ * frame_.slot;
    std::vector<bool> wants;
    for (const auto& ue : ues_) {
        if (now >= ue->sample_due) measure(now, *ue);
        for (Sdu packet; ue->source.take(now, packet);) ue->bearer.push_down(now, packet);
        ue->bearer.begin_slot(now);
        wants.push_back(ue->bearer.wants_slot(now));
    }
    const std::optional<std::size_t> granted = scheduler_->pick(wants);
    for (std::size_t i = 0; i < ues_.size(); ++i) ues_[i]->bearer.end_slot(now, granted == i);
    ++slot_;
}

}  // namespace mmwemu
