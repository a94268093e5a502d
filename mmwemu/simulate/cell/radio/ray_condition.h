// SPDX-License-Identifier: GPL-2.0-only
// The line-of-sight condition that ns-3's fading model asks for.

#pragma once

#include <ns3/channel-condition-model.h>

#include <cstdint>

namespace mmwemu {

/// Passes the outcome of this program's own ray test to the fading model.
class RayCondition : public ns3::ChannelConditionModel {
  public:
    void set_los(bool los) {
        const auto value = los ? ns3::ChannelCondition::LOS : ns3::ChannelCondition::NLOS;
        condition_ = ns3::CreateObject<ns3::ChannelCondition>(value, ns3::ChannelCondition::O2O);
    }
    ns3::Ptr<ns3::ChannelCondition> GetChannelCondition(ns3::Ptr<const ns3::MobilityModel>,
                                                        ns3::Ptr<const ns3::MobilityModel>) const override {
        return condition_;
    }
    std::int64_t AssignStreams(std::int64_t) override { return 0; }

  private:
    ns3::Ptr<ns3::ChannelCondition> condition_;
};

}  // namespace mmwemu
