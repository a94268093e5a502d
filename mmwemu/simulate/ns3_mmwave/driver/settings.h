// SPDX-License-Identifier: GPL-2.0-only
// The settings of one simulation, as mmwemu writes them: one record a line, a name and its values.

#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace mmwemu {

struct Waypoint {
    double time_s, x_m, y_m, z_m;
};

/// The direct ray from `time_s` on, until the next state: free or not, and the loss of the obstacles that it crosses.
struct RayState {
    double time_s;
    bool los;
    double loss_db;
};

struct Settings {
    std::uint32_t seed = 1;
    double duration_s = 0;
    Waypoint base_station{};
    std::vector<Waypoint> route;
    std::vector<RayState> rays;
    double rate_bps = 0, start_s = 0, core_delay_s = 0;
    std::uint32_t payload_bytes = 0;
    double power_dbm = 0, noise_figure_db = 0, carrier_hz = 0, bandwidth_hz = 0;
    std::uint32_t rlc_buffer_bytes = 0;
    std::uint32_t gnb_rows = 0, gnb_columns = 0, ue_rows = 0, ue_columns = 0;
    std::string path_loss, beam;
    std::uint32_t numerology = 0;
    bool harq = true;
    double channel_update_s = 0;
    bool shadowing = false;
    double poll_retransmit_s = 0, reordering_s = 0, status_prohibit_s = 0;

    /// The state of the direct ray at a time.
    const RayState& ray(double time_s) const;
};

/// Read all records; throws std::runtime_error with the number of a line that cannot be read.
Settings read_settings(std::istream& in);

}  // namespace mmwemu
