// SPDX-License-Identifier: GPL-2.0-only
#include "core/config_checks.h"

#include "core/lte_reach.h"

namespace mmwemu {

namespace {

void require_channel_files(const std::string& name, const Config& config) {
    const ChannelFiles& files = config.channel;
    if (files.in_path.empty() && files.out_path.empty()) return;
    if (config.rat != Rat::kMmwave) throw ConfigError(name + ": channel_in, channel_out: are for mmwave");
    if (config.ues.size() > 1) throw ConfigError(name + ": channel_in, channel_out: hold the channel of one UE");
    if (files.hash.empty()) throw ConfigError(name + ": record 'channel_hash' is missing");
}

void require_consistent(const std::string& name, const MmwaveConfig& mmwave) {
    if (mmwave.evolution == Evolution::kConsistent) return;
    if (mmwave.los_change == LosChange::kDiffraction) {
        throw ConfigError(name + ": los_change: diffraction needs evolution consistent");
    }
    if (mmwave.beam == Beam::kCodebook) throw ConfigError(name + ": beam: codebook needs evolution consistent");
}

}  // namespace

void check_together(const std::string& name, const Config& config) {
    if (config.ues.empty() || config.ues.back().route.empty()) {
        throw ConfigError(name + ": record 'waypoint' is missing");
    }
    if (config.mmwave.uplink.share == 0) {
        for (const UeConfig& ue : config.ues) {
            if (ue.uplink_rate_bps > 0) throw ConfigError(name + ": uplink_rate_bps: the cell has no uplink");
        }
    }
    if (config.tcp.proxy && config.transport != TransportKind::kTcp)
        throw ConfigError(name + ": milliproxy: is for transport tcp");
    if (config.tcp.split && config.transport != TransportKind::kTcp)
        throw ConfigError(name + ": split_proxy: is for transport tcp");
    if (config.tcp.split && config.tcp.proxy) throw ConfigError(name + ": split_proxy: there is another proxy");
    for (const UeConfig& ue : config.ues) {
        if (ue.uplink_rate_bps > 0 && config.transport == TransportKind::kTcp)
            throw ConfigError(name + ": uplink_rate_bps: transport tcp sends to the UE only");
    }
    if (config.rat == Rat::kMmwave) {
        require_channel_files(name, config);
        return require_consistent(name, config.mmwave);
    }
    if (!config.rays_path.empty()) throw ConfigError(name + ": record 'rays' is for mmwave");
    if (config.transport != TransportKind::kLite)
        throw ConfigError(name + ": transport: LTE has transport lite only; give --transport lite");
    if (config.ues.size() > 1) throw ConfigError(name + ": ue: the LTE cell has one UE");
    bool above_ground = config.base_station_m.z > 0;
    for (const Waypoint& waypoint : config.ues.front().route) above_ground = above_ground && waypoint.position_m.z > 0;
    if (!above_ground) throw ConfigError(name + ": base_station, waypoint: the LTE path loss needs heights above 0");
    const std::string problem = lte_problem(config.lte_path_loss, config.base_station_m, config.ues.front().route);
    if (!problem.empty()) throw ConfigError(name + ": lte_path_loss: " + problem);
    require_channel_files(name, config);
}

}  // namespace mmwemu
