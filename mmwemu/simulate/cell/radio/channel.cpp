// SPDX-License-Identifier: GPL-2.0-only
#include "radio/channel.h"

#include <utility>

#include "radio/consistent_channel.h"
#include "radio/file_channel.h"
#include "radio/ray_channel.h"
#include "radio/three_gpp_channel.h"

namespace mmwemu {

namespace {

std::unique_ptr<Channel> make_live(const Config& config, const std::vector<Waypoint>& route, std::int64_t stream) {
    if (!config.rays_path.empty()) return std::make_unique<RayChannel>(config, route);
    if (config.mmwave.evolution == Evolution::kConsistent) {
        return std::make_unique<ConsistentChannel>(config, route, stream);
    }
    return std::make_unique<ThreeGppChannel>(config, route, stream);
}

}  // namespace

std::unique_ptr<Channel> make_channel(const Config& config, const std::vector<Waypoint>& route, std::int64_t stream) {
    if (!config.channel.in_path.empty()) return std::make_unique<ReplayedChannel>(config);
    std::unique_ptr<Channel> live = make_live(config, route, stream);
    if (config.channel.out_path.empty()) return live;
    return std::make_unique<RecordedChannel>(config, std::move(live));
}

}  // namespace mmwemu
