// SPDX-License-Identifier: GPL-2.0-only
// The clusters and rays of TR 38.901, drawn by ns-3.

#pragma once

#include <ns3/three-gpp-channel-model.h>

#include "core/drift.h"

namespace mmwemu {

/// ns-3's model with the same channel matrix, computed some twenty times faster.
///
/// ns-3 takes a sine and a cosine for each pair of elements and each ray; they depend on one element and one ray only.
/// Elements must be isotropic and of one polarisation.
class ClusterModel : public ns3::ThreeGppChannelModel {
  public:
    /// Draw clusters and rays for the places where the two ends are now.
    Draw draw(const ns3::Ptr<ns3::MobilityModel>& base, const ns3::Ptr<ns3::MobilityModel>& ue) const;

  protected:
    ns3::Ptr<ChannelMatrix> GetNewChannel(ns3::Ptr<const ThreeGppChannelParams> drawn,
                                          ns3::Ptr<const ParamsTable> table, ns3::Ptr<const ns3::MobilityModel> s_place,
                                          ns3::Ptr<const ns3::MobilityModel> u_place,
                                          ns3::Ptr<const ns3::PhasedArrayModel> s_array,
                                          ns3::Ptr<const ns3::PhasedArrayModel> u_array) const override;
};

}  // namespace mmwemu
