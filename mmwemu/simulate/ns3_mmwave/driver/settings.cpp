// SPDX-License-Identifier: GPL-2.0-only

#include "settings.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace mmwemu {

namespace {

/// Read the values of one record; returns whether its name is known.
bool read_record(const std::string& name, std::istream& values, Settings& to) {
    if (name == "waypoint") {
        Waypoint at{};
        values >> at.time_s >> at.x_m >> at.y_m >> at.z_m;
        to.route.push_back(at);
    } else if (name == "ray") {
        RayState state{};
        values >> state.time_s >> state.los >> state.loss_db;
        to.rays.push_back(state);
    } else if (name == "base_station") {
        values >> to.base_station.x_m >> to.base_station.y_m >> to.base_station.z_m;
    } else if (name == "gnb_array") {
        values >> to.gnb_rows >> to.gnb_columns;
    } else if (name == "ue_array") {
        values >> to.ue_rows >> to.ue_columns;
    } else if (name == "seed") {
        values >> to.seed;
    } else if (name == "duration_s") {
        values >> to.duration_s;
    } else if (name == "rate_bps") {
        values >> to.rate_bps;
    } else if (name == "start_s") {
        values >> to.start_s;
    } else if (name == "core_delay_s") {
        values >> to.core_delay_s;
    } else if (name == "payload_bytes") {
        values >> to.payload_bytes;
    } else if (name == "power_dbm") {
        values >> to.power_dbm;
    } else if (name == "noise_figure_db") {
        values >> to.noise_figure_db;
    } else if (name == "carrier_hz") {
        values >> to.carrier_hz;
    } else if (name == "bandwidth_hz") {
        values >> to.bandwidth_hz;
    } else if (name == "rlc_buffer_bytes") {
        values >> to.rlc_buffer_bytes;
    } else if (name == "path_loss") {
        values >> to.path_loss;
    } else if (name == "beam") {
        values >> to.beam;
    } else if (name == "numerology") {
        values >> to.numerology;
    } else if (name == "harq") {
        values >> to.harq;
    } else if (name == "channel_update_s") {
        values >> to.channel_update_s;
    } else if (name == "shadowing") {
        values >> to.shadowing;
    } else if (name == "poll_retransmit_s") {
        values >> to.poll_retransmit_s;
    } else if (name == "reordering_s") {
        values >> to.reordering_s;
    } else if (name == "status_prohibit_s") {
        values >> to.status_prohibit_s;
    } else {
        return false;
    }
    return true;
}

}  // namespace

const RayState& Settings::ray(double time_s) const {
    const auto later =
        std::upper_bound(rays.begin(), rays.end(), time_s, [](double t, const RayState& s) { return t < s.time_s; });
    return later == rays.begin() ? rays.front() : *(later - 1);
}

Settings read_settings(std::istream& in) {
    Settings settings;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (!read_record(name, words, settings) || words.fail()) {
            throw std::runtime_error("line " + std::to_string(number) + " of the settings cannot be read: " + line);
        }
    }
    if (settings.route.empty() || settings.rays.empty()) throw std::runtime_error("the settings have no route");
    return settings;
}

}  // namespace mmwemu
