// SPDX-License-Identifier: GPL-2.0-only
// The mmWave channel of traced rays.

#pragma once

#include <vector>

#include "core/beams.h"
#include "core/config.h"
#include "core/geometry.h"
#include "core/rays.h"
#include "radio/channel.h"

namespace mmwemu {

/// Rays of the configuration's file along the route; nothing is drawn at random. The rays say what has line of sight.
class RayChannel : public Channel {
  public:
    RayChannel(const Config& config, const std::vector<Waypoint>& route);

    ChannelSample sample(Time now) override;

  private:
    const Config& config_;
    Route route_;
    RayField field_;
    Beams beams_;
    Time beams_due_ = 0;
    std::vector<double> gain_;
};

}  // namespace mmwemu
