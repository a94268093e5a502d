// SPDX-License-Identifier: GPL-2.0-only
#include "radio/lte_path_loss.h"

#include <ns3/mobility-model.h>

#include <utility>

#include "core/path_loss.h"

namespace mmwemu {

ns3::TypeId LteObstacleLoss::GetTypeId() {
    static const ns3::TypeId id =
        ns3::TypeId("mmwemu::LteObstacleLoss").SetParent<ns3::PropagationLossModel>().AddConstructor<LteObstacleLoss>();
    return id;
}

void LteObstacleLoss::set(const Config& config, double carrier_hz) {
    config_ = &config;
    carrier_hz_ = carrier_hz;
}

double LteObstacleLoss::DoCalcRxPower(double power_dbm, ns3::Ptr<ns3::MobilityModel> a,
                                      ns3::Ptr<ns3::MobilityModel> b) const {
    const auto to_point = [](const ns3::Vector& v) { return Point{v.x, v.y, v.z}; };
    Point base_m = to_point(a->GetPosition()), ue_m = to_point(b->GetPosition());
    if (distance_m(base_m, config_->base_station_m) > 0) std::swap(base_m, ue_m);
    const Sight sight = look(config_->boxes, base_m, ue_m);
    const bool uma = config_->lte_path_loss == LtePathLoss::kUma;
    const PathLoss model = uma ? PathLoss::kUma : PathLoss::kUmiStreetCanyon;
    return power_dbm - path_loss_db(model, carrier_hz_, base_m, ue_m, sight.los) - sight.loss_db;
}

}  // namespace mmwemu
