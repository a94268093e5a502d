// SPDX-License-Identifier: GPL-2.0-only
#include "radio/three_gpp_channel.h"

#include <ns3/angles.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/isotropic-antenna-model.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cmath>

#include "core/path_loss.h"
#include "radio/cluster_model.h"
#include "radio/eigenbeam.h"
#include "radio/mobility.h"
#include "radio/normal.h"

namespace mmwemu {

namespace {

constexpr std::int64_t kFadingStream = 99, kShadowingStream = 100;
// A beam vector that changes makes the fading model recompute its sums over all antenna pairs.
constexpr Time kDftPeriod = 20 * kMillisecond;

ns3::Ptr<ns3::UniformPlanarArray> make_array(const Array& size) {
    return ns3::CreateObjectWithAttributes<ns3::UniformPlanarArray>(
        "NumRows", ns3::UintegerValue(size.rows), "NumColumns", ns3::UintegerValue(size.columns), "AntennaElement",
        ns3::PointerValue(ns3::CreateObject<ns3::IsotropicAntennaModel>()));
}

/// A power spectral density of 1 over the band, so that what is received is the gain.
ns3::Ptr<ns3::SpectrumSignalParameters> make_signal(const Config& config) {
    const double bandwidth_hz = config.mmwave.bandwidth_hz, width_hz = bandwidth_hz / Channel::kBands;
    ns3::Bands bands;
    for (int i = 0; i < Channel::kBands; ++i) {
        const double low_hz = config.mmwave.carrier_hz - bandwidth_hz / 2 + i * width_hz;
        bands.push_back({low_hz, low_hz + width_hz / 2, low_hz + width_hz});
    }
    ns3::Ptr<ns3::SpectrumValue> psd = ns3::Create<ns3::SpectrumValue>(ns3::Create<ns3::SpectrumModel>(bands));
    *psd = 1;
    auto signal = ns3::Create<ns3::SpectrumSignalParameters>();
    signal->psd = psd;
    return signal;
}

/// Weights that add up the elements in phase towards `angles`.
///
/// The fading model multiplies them with phases exp(+j k r) without conjugating, so they are the steering vector
/// itself; GetBeamformingVector() of this version of ns-3 gives its conjugate, a beam to the mirrored angle.
ns3::PhasedArrayModel::ComplexVector steer(const ns3::UniformPlanarArray& array, const ns3::Angles& angles) {
    ns3::PhasedArrayModel::ComplexVector weights = array.GetSteeringVector(angles);
    const double scale = 1 / std::sqrt(static_cast<double>(weights.GetSize()));
    for (std::size_t i = 0; i < weights.GetSize(); ++i) weights[i] *= scale;
    return weights;
}

}  // namespace

ThreeGppChannel::ThreeGppChannel(const Config& config, const std::vector<Waypoint>& route, std::int64_t stream)
    : config_(config),
      route_(route),
      gnb_node_(ns3::CreateObject<ns3::Node>()),
      ue_node_(ns3::CreateObject<ns3::Node>()),
      gnb_(place(gnb_node_, config.base_station_m)),
      ue_(follow(ue_node_, route)),
      gnb_array_(make_array(config.mmwave.gnb_array)),
      ue_array_(make_array(config.mmwave.ue_array)),
      condition_(ns3::CreateObject<RayCondition>()),
      model_(ns3::CreateObject<ClusterModel>()),
      fading_(ns3::CreateObject<ns3::ThreeGppSpectrumPropagationLossModel>()),
      signal_(make_signal(config)),
      los_shadowing_(shadowing_size(config.mmwave.path_loss, true), make_normal(stream + kShadowingStream)),
      nlos_shadowing_(shadowing_size(config.mmwave.path_loss, false), make_normal(stream + kShadowingStream + 1)) {
    const bool uma = config.mmwave.path_loss == PathLoss::kUma;
    model_->SetAttribute("Frequency", ns3::DoubleValue(config.mmwave.carrier_hz));
    model_->SetAttribute("Scenario", ns3::StringValue(uma ? "UMa" : "UMi-StreetCanyon"));
    model_->SetAttribute("ChannelConditionModel", ns3::PointerValue(condition_));
    model_->SetAttribute("UpdatePeriod",
                         ns3::TimeValue(ns3::NanoSeconds(from_seconds(config.mmwave.channel_update_s))));
    model_->SetAttribute("Blockage", ns3::BooleanValue(config.mmwave.blockage));
    model_->AssignStreams(stream);
    fading_->SetChannelModel(model_);
    fading_->AssignStreams(stream + kFadingStream);
}

ChannelSample ThreeGppChannel::sample(Time now) {
    const Point ue_m = route_.position_m(to_seconds(now));
    const Sight sight = look(config_.boxes, config_.base_station_m, ue_m);
    condition_->set_los(sight.los);
    point_beams(now);

    const auto received = fading_->CalcRxPowerSpectralDensity(signal_, gnb_, ue_, gnb_array_, ue_array_);
    const double loss_db =
        path_loss_db(config_.mmwave.path_loss, config_.mmwave.carrier_hz, config_.base_station_m, ue_m, sight.los) +
        sight.loss_db + (config_.mmwave.shadowing ? (sight.los ? los_shadowing_ : nlos_shadowing_).at(ue_m) : 0);
    const double scale = std::pow(10, -loss_db / 10);
    gain_.assign(received->psd->ConstValuesBegin(), received->psd->ConstValuesEnd());
    for (double& band : gain_) band *= scale;
    return {sight, gain_};
}

void ThreeGppChannel::point_beams(Time now) {
    if (config_.mmwave.beam == Beam::kSvd) return point_svd();
    if (now < beams_due_) return;
    beams_due_ = now + kDftPeriod;
    point_dft();
}

void ThreeGppChannel::point_dft() {
    const ns3::Vector gnb = gnb_->GetPosition(), ue = ue_->GetPosition();
    gnb_array_->SetBeamformingVector(steer(*gnb_array_, ns3::Angles(ue, gnb)));
    ue_array_->SetBeamformingVector(steer(*ue_array_, ns3::Angles(gnb, ue)));
}

void ThreeGppChannel::point_svd() {
    const auto matrix = model_->GetChannel(gnb_, ue_, gnb_array_, ue_array_);
    if (matrix->m_generatedTime == beams_of_channel_) return;
    beams_of_channel_ = matrix->m_generatedTime;
    const bool reverse = matrix->IsReverse(gnb_array_->GetId(), ue_array_->GetId());
    const BeamPair beams = strongest_beams(matrix->m_channel);
    (reverse ? ue_array_ : gnb_array_)->SetBeamformingVector(beams.s);
    (reverse ? gnb_array_ : ue_array_)->SetBeamformingVector(beams.u);
}

}  // namespace mmwemu
