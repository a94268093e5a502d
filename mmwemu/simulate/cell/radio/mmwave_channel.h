// SPDX-License-Identifier: GPL-2.0-only
// The mmWave downlink channel, on ns-3's TR 38.901 fading model.

#pragma once

#include <ns3/node.h>
#include <ns3/spectrum-signal-parameters.h>
#include <ns3/three-gpp-channel-model.h>
#include <ns3/three-gpp-spectrum-propagation-loss-model.h>
#include <ns3/uniform-planar-array.h>

#include <span>
#include <vector>

#include "core/config.h"
#include "core/geometry.h"
#include "radio/ray_condition.h"

namespace mmwemu {

/// The downlink radio channel: geometry, path loss, 3GPP TR 38.901 fast fading and beams, to SINR by band.
class MmwaveChannel {
  public:
    explicit MmwaveChannel(const Config& config);

    struct Sample {
        Sight sight;
        std::span<const double> sinr;  // linear, by band; valid until the next sample
        double sinr_db = 0;            // mean over the bands
    };

    /// The channel at the simulator's time.
    Sample sample();

    static constexpr int kBands = 72;

  private:
    void point_beams();
    void point_dft();
    void point_svd();

    const Config& config_;
    Route route_;
    ns3::Ptr<ns3::Node> gnb_node_, ue_node_;
    ns3::Ptr<ns3::MobilityModel> gnb_, ue_;
    ns3::Ptr<ns3::UniformPlanarArray> gnb_array_, ue_array_;
    ns3::Ptr<RayCondition> condition_;
    ns3::Ptr<ns3::ThreeGppChannelModel> model_;
    ns3::Ptr<ns3::ThreeGppSpectrumPropagationLossModel> fading_;
    ns3::Ptr<ns3::SpectrumSignalParameters> signal_;
    double noise_psd_ = 0;  // W/Hz
    Time beams_due_ = 0;
    ns3::Time beams_of_channel_ = ns3::Seconds(-1);
    std::vector<double> sinr_;
};

}  // namespace mmwemu
