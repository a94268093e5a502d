// SPDX-License-Identifier: GPL-2.0-only
#include "radio/ray_channel.h"

namespace mmwemu {

namespace {

constexpr Time kBeamPeriod = 20 * kMillisecond;

}  // namespace

RayChannel::RayChannel(const Config& config, const std::vector<Waypoint>& route)
    : config_(config), route_(route), field_(read_rays(config.rays_path), config.mmwave.carrier_hz), gain_(kBands) {}

ChannelSample RayChannel::sample(Time now) {
    const MmwaveConfig& radio = config_.mmwave;
    const double along_m = route_.along_m(to_seconds(now));
    const std::vector<Ray>& rays = field_.at(along_m, route_.position_m(to_seconds(now)));
    if (now >= beams_due_) {
        beams_due_ = now + kBeamPeriod;
        const auto beams = radio.beam == Beam::kSvd ? svd_beams : dft_beams;
        beams_ = beams(rays, radio.gnb_array, radio.ue_array);
    }
    band_gain(rays, radio.gnb_array, radio.ue_array, beams_, radio.bandwidth_hz, gain_);
    return {{field_.los(along_m), 0}, gain_};
}

}  // namespace mmwemu
