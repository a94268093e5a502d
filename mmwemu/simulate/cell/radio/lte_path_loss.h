// SPDX-License-Identifier: GPL-2.0-only
// Path loss of the LTE cell by distance and line of sight.

#pragma once

#include <ns3/propagation-loss-model.h>

#include "core/config.h"

namespace mmwemu {

/// UMi or UMa of TR 38.901 with the line of sight of the configuration's boxes, and their `loss_db`.
class LteObstacleLoss : public ns3::PropagationLossModel {
  public:
    static ns3::TypeId GetTypeId();

    /// To be called before use; `config` must outlive this.
    void set(const Config& config, double carrier_hz);

  private:
    double DoCalcRxPower(double power_dbm, ns3::Ptr<ns3::MobilityModel> a,
                         ns3::Ptr<ns3::MobilityModel> b) const override;
    std::int64_t DoAssignStreams(std::int64_t) override { return 0; }

    const Config* config_ = nullptr;
    double carrier_hz_ = 0;
};

}  // namespace mmwemu
