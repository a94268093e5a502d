// SPDX-License-Identifier: GPL-2.0-only

#include "channel.h"

#include <ns3/boolean.h>
#include <ns3/constant-position-mobility-model.h>
#include <ns3/double.h>
#include <ns3/node.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>
#include <ns3/three-gpp-propagation-loss-model.h>

#include <algorithm>
#include <cmath>

namespace mmwemu {

namespace {

// Below 1.2 m the breakpoint of 3GPP's models is at 0 m or near it, and the loss in line of sight some 30 dB too high.
constexpr double kLowestHeightM = 1.2;

const Settings* settings = nullptr;

const RayState& ray_now() {
    return settings->ray(ns3::Simulator::Now().GetSeconds());
}

}  // namespace

NS_OBJECT_ENSURE_REGISTERED(RayCondition);
NS_OBJECT_ENSURE_REGISTERED(RayLoss);

void use_settings(const Settings& given) {
    settings = &given;
}

ns3::TypeId RayCondition::GetTypeId() {
    static ns3::TypeId id =
        ns3::TypeId("mmwemu::RayCondition").SetParent<ns3::ChannelConditionModel>().AddConstructor<RayCondition>();
    return id;
}

ns3::Ptr<ns3::ChannelCondition> RayCondition::GetChannelCondition(ns3::Ptr<const ns3::MobilityModel>,
                                                                  ns3::Ptr<const ns3::MobilityModel>) const {
    using ns3::ChannelCondition;
    auto condition = ns3::CreateObject<ChannelCondition>();
    condition->SetLosCondition(ray_now().los ? ChannelCondition::LOS : ChannelCondition::NLOS);
    condition->SetO2iCondition(ChannelCondition::O2O);
    return condition;
}

ns3::TypeId RayLoss::GetTypeId() {
    static ns3::TypeId id =
        ns3::TypeId("mmwemu::RayLoss").SetParent<ns3::PropagationLossModel>().AddConstructor<RayLoss>();
    return id;
}

double RayLoss::DoCalcRxPower(double power_dbm, ns3::Ptr<ns3::MobilityModel> a, ns3::Ptr<ns3::MobilityModel> b) const {
    const RayState& ray = ray_now();
    const double obstacles_db = ray.los ? 0.0 : ray.loss_db;
    if (settings->path_loss != "akdeniz") return power_dbm - three_gpp_loss_db(a, b) - obstacles_db;
    // Akdeniz et al. 2014, table I, 28 GHz.
    const double log_d = std::log10(std::max(1.0, a->GetDistanceFrom(b)));
    return power_dbm - (ray.los ? 61.4 + 20.0 * log_d : 72.0 + 29.2 * log_d) - obstacles_db;
}

/// A stand-in for an end of the link, high enough; it has a node of its own, by which shadowing is remembered.
ns3::Ptr<ns3::MobilityModel> RayLoss::raised(const ns3::Ptr<ns3::MobilityModel>& end) const {
    ns3::Vector at = end->GetPosition();
    at.z = std::max(at.z, kLowestHeightM);
    ns3::Ptr<ns3::MobilityModel>& copy = raised_[ns3::PeekPointer(end)];
    if (!copy) {
        copy = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
        ns3::CreateObject<ns3::Node>()->AggregateObject(copy);
    }
    copy->SetPosition(at);
    return copy;
}

double RayLoss::three_gpp_loss_db(ns3::Ptr<ns3::MobilityModel> a, ns3::Ptr<ns3::MobilityModel> b) const {
    if (!three_gpp_) {
        ns3::ObjectFactory factory(settings->path_loss == "uma" ? "ns3::ThreeGppUmaPropagationLossModel"
                                                                : "ns3::ThreeGppUmiStreetCanyonPropagationLossModel");
        factory.Set("Frequency", ns3::DoubleValue(settings->carrier_hz));
        factory.Set("ShadowingEnabled", ns3::BooleanValue(settings->shadowing));
        factory.Set("ChannelConditionModel", ns3::PointerValue(ns3::CreateObject<RayCondition>()));
        three_gpp_ = factory.Create<ns3::PropagationLossModel>();
    }
    return -three_gpp_->CalcRxPower(0.0, raised(a), raised(b));
}

}  // namespace mmwemu
