// SPDX-License-Identifier: GPL-2.0-only
#include "radio/consistent_channel.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/pointer.h>
#include <ns3/string.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "core/diffraction.h"
#include "core/frame.h"
#include "core/path_loss.h"
#include "radio/mobility.h"
#include "radio/normal.h"

namespace mmwemu {

namespace {

constexpr std::int64_t kShadowingStream = 100, kSearchStream = 110;

/// Correlation distance of the random variables of clusters and rays (TR 38.901, table 7.6.3.1-2), m.
double cluster_distance_m(PathLoss model, bool los) {
    if (model == PathLoss::kUma) return los ? 40 : 50;
    return los ? 12 : 15;
}

}  // namespace

ConsistentChannel::ConsistentChannel(const Config& config, const std::vector<Waypoint>& route, std::int64_t stream)
    : config_(config),
      route_(route),
      bands_{config.mmwave.carrier_hz, config.mmwave.bandwidth_hz / kBands, kBands},
      period_(make_frame(config.mmwave.frame, config.mmwave.bandwidth_hz).slot),
      gnb_node_(ns3::CreateObject<ns3::Node>()),
      ue_node_(ns3::CreateObject<ns3::Node>()),
      gnb_(place(gnb_node_, config.base_station_m)),
      ue_(place(ue_node_, route.front().position_m)),
      condition_(ns3::CreateObject<RayCondition>()),
      model_(ns3::CreateObject<ClusterModel>()),
      beams_(config.mmwave, config.base_station_m, make_normal(stream + kSearchStream)),
      field_(kBands),
      gain_(kBands) {
    const bool uma = config.mmwave.path_loss == PathLoss::kUma;
    model_->SetAttribute("Frequency", ns3::DoubleValue(config.mmwave.carrier_hz));
    model_->SetAttribute("Scenario", ns3::StringValue(uma ? "UMa" : "UMi-StreetCanyon"));
    model_->SetAttribute("ChannelConditionModel", ns3::PointerValue(condition_));
    model_->SetAttribute("Blockage", ns3::BooleanValue(config.mmwave.blockage));
    model_->AssignStreams(stream);
    los_ = make_state(true, stream);
    nlos_ = make_state(false, stream + 1);
    motion_.ue_m = route.front().position_m;
}

std::unique_ptr<ConsistentChannel::State> ConsistentChannel::make_state(bool los, std::int64_t stream) {
    const auto source = [this, los](const Point& ue_m) {
        condition_->set_los(los);
        ue_->SetPosition(to_vector(ue_m));
        return model_->draw(gnb_, ue_);
    };
    const PathLoss model = config_.mmwave.path_loss;
    ShadowingSize size = shadowing_size(model, los);
    if (!config_.mmwave.shadowing) size.sigma_db = 0;
    return std::make_unique<State>(State{Fading(source, bands_, config_.base_station_m, cluster_distance_m(model, los)),
                                         Shadowing(size, make_normal(stream + kShadowingStream))});
}

Motion ConsistentChannel::move(Time now) {
    Motion motion;
    motion.now = now;
    motion.ue_m = route_.position_m(to_seconds(now));
    motion.velocity_mps = route_.velocity_mps(to_seconds(now));
    motion.travelled_m = motion_.travelled_m + distance_m(motion_.ue_m, motion.ue_m);
    motion.step = period_;
    return motion;
}

/// The amplitude of path loss and shadowing.
double ConsistentChannel::amplitude(bool los) {
    const double median_db =
        path_loss_db(config_.mmwave.path_loss, config_.mmwave.carrier_hz, config_.base_station_m, motion_.ue_m, los);
    return std::pow(10, -(median_db + (los ? los_ : nlos_)->shadowing.at(motion_.ue_m)) / 20);
}

ChannelSample ConsistentChannel::sample(Time now) {
    motion_ = move(now);
    const Sight sight = look(config_.boxes, config_.base_station_m, motion_.ue_m);
    const bool diffracts = config_.mmwave.los_change == LosChange::kDiffraction;
    Fading& fading = (sight.los ? los_ : nlos_)->fading;

    double scattered = amplitude(sight.los) * std::pow(10, -sight.loss_db / 20);
    double direct = 0;
    fading.renew(motion_);
    if (sight.los || diffracts) {
        if (!sight.los) los_->fading.renew(motion_);
        direct = std::sqrt(los_->fading.direct_power()) * (sight.los ? scattered : amplitude(true));
    }
    if (diffracts) {
        const double loss_db =
            diffraction_db(config_.boxes, config_.base_station_m, motion_.ue_m, bands_.wavelength_m());
        direct *= std::pow(10, -loss_db / 20);
    }
    const double turns = distance_m(config_.base_station_m, motion_.ue_m) / bands_.wavelength_m();
    Fading::Wave wave;
    wave.departure = 1 / (turns * bands_.wavelength_m()) * (motion_.ue_m - config_.base_station_m);
    wave.arrival = -1.0 * wave.departure;
    wave.amplitude = std::polar(direct, -2 * std::numbers::pi * std::fmod(turns, 1));
    beams_.point(motion_, [&] {
        std::vector<Fading::Wave> waves = fading.waves(scattered);
        waves.push_back(wave);
        return waves;
    });
    const Ends& ends = beams_.ends();
    fading.follow(motion_, ends);
    field_.clear();
    fading.add_to(field_, scattered);
    field_.add(bands_,
               wave.amplitude * ends.base.response(ends.base_beam, wave.departure) *
                   ends.ue.response(ends.ue_beam, wave.arrival),
               0);
    for (std::size_t b = 0; b < gain_.size(); ++b) {
        gain_[b] = field_.re[b] * field_.re[b] + field_.im[b] * field_.im[b];
    }
    return {sight, gain_, beams_.searching()};
}

}  // namespace mmwemu
