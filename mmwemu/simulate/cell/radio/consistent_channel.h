// SPDX-License-Identifier: GPL-2.0-only
// The mmWave channel that evolves consistently along the route.

#pragma once

#include <ns3/constant-velocity-mobility-model.h>
#include <ns3/node.h>

#include <memory>
#include <vector>

#include "core/config.h"
#include "core/fading.h"
#include "core/shadowing.h"
#include "radio/beam_keeper.h"
#include "radio/channel.h"
#include "radio/cluster_model.h"
#include "radio/ray_condition.h"

namespace mmwemu {

/// Clusters and rays of TR 38.901 that drift with the UE, with shadowing, moving beams and diffraction.
class ConsistentChannel : public Channel {
  public:
    ConsistentChannel(const Config& config, const std::vector<Waypoint>& route, std::int64_t stream);

    ChannelSample sample(Time now) override;
    Time period() const override { return period_; }

  private:
    /// What differs with and without line of sight.
    struct State {
        Fading fading;
        Shadowing shadowing;
    };
    std::unique_ptr<State> make_state(bool los, std::int64_t stream);
    Motion move(Time now);
    double amplitude(bool los);

    const Config& config_;
    Route route_;
    Bands bands_;
    Time period_;
    ns3::Ptr<ns3::Node> gnb_node_, ue_node_;
    ns3::Ptr<ns3::ConstantVelocityMobilityModel> gnb_, ue_;
    ns3::Ptr<RayCondition> condition_;
    ns3::Ptr<ClusterModel> model_;
    std::unique_ptr<State> los_, nlos_;
    BeamKeeper beams_;
    Motion motion_;
    Field field_;
    std::vector<double> gain_;
};

}  // namespace mmwemu
