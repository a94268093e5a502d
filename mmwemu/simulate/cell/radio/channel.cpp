// SPDX-License-Identifier: GPL-2.0-only
#include "radio/channel.h"

#include "radio/consistent_channel.h"
#include "radio/ray_channel.h"
#include "radio/three_gpp_channel.h"

namespace mmwemu {

std::unique_ptr<Channel> make_channel(const Config& config, const std::vector<Waypoint>& route, std::int64_t stream) {
    if (!config.rays_path.empty()) return std::make_unique<RayChannel>(config, route);
    if (config.mmwave.evolution == Evolution::kConsistent) {
        return std::make_unique<ConsistentChannel>(config, route, stream);
    }
    return std::make_unique<ThreeGppChannel>(config, route, stream);
}

}  // namespace mmwemu
