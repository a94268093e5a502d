// SPDX-License-Identifier: GPL-2.0-only
// Line of sight and path loss of the scenario, in place of the module's own.

#pragma once

#include <ns3/channel-condition-model.h>
#include <ns3/mobility-model.h>
#include <ns3/propagation-loss-model.h>

#include <map>

#include "settings.h"

namespace mmwemu {

/// What both models below look up; it has to outlive them.
void use_settings(const Settings& settings);

/// Line of sight as the scenario's obstacles have it at the present time.
class RayCondition : public ns3::ChannelConditionModel {
  public:
    static ns3::TypeId GetTypeId();
    ns3::Ptr<ns3::ChannelCondition> GetChannelCondition(ns3::Ptr<const ns3::MobilityModel> a,
                                                        ns3::Ptr<const ns3::MobilityModel> b) const override;
    int64_t AssignStreams(int64_t) override { return 0; }
};

/// Path loss by distance and line of sight; without line of sight the obstacles' loss is added.
class RayLoss : public ns3::PropagationLossModel {
  public:
    static ns3::TypeId GetTypeId();

  private:
    double DoCalcRxPower(double power_dbm, ns3::Ptr<ns3::MobilityModel> a,
                         ns3::Ptr<ns3::MobilityModel> b) const override;
    int64_t DoAssignStreams(int64_t) override { return 0; }
    double three_gpp_loss_db(ns3::Ptr<ns3::MobilityModel> a, ns3::Ptr<ns3::MobilityModel> b) const;
    ns3::Ptr<ns3::MobilityModel> raised(const ns3::Ptr<ns3::MobilityModel>& end) const;

    mutable ns3::Ptr<ns3::PropagationLossModel> three_gpp_;
    mutable std::map<const ns3::MobilityModel*, ns3::Ptr<ns3::MobilityModel>> raised_;
};

}  // namespace mmwemu
