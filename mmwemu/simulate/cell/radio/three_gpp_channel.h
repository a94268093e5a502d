// SPDX-License-Identifier: GPL-2.0-only
// The mmWave channel on ns-3's TR 38.901 fading model.

#pragma once

#include <ns3/node.h>
#include <ns3/spectrum-signal-parameters.h>
#include <ns3/three-gpp-channel-model.h>
#include <ns3/three-gpp-spectrum-propagation-loss-model.h>
#include <ns3/uniform-planar-array.h>

#include <vector>

#include "core/config.h"
#include "core/geometry.h"
#include "core/shadowing.h"
#include "radio/channel.h"
#include "radio/ray_condition.h"

namespace mmwemu {

/// Geometry, path loss, shadowing, beams, and fast fading by TR 38.901 that is drawn anew each `channel_update_s`.
class ThreeGppChannel : public Channel {
  public:
    ThreeGppChannel(const Config& config, const std::vector<Waypoint>& route, std::int64_t stream);

    ChannelSample sample(Time now) override;

  private:
    void point_beams(Time now);
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
    Shadowing los_shadowing_, nlos_shadowing_;
    Time beams_due_ = 0;
    ns3::Time beams_of_channel_ = ns3::Seconds(-1);
    std::vector<double> gain_;
};

}  // namespace mmwemu
