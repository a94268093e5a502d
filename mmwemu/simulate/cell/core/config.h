// SPDX-License-Identifier: GPL-2.0-only
// The configuration of one run of the cell.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "core/time.h"

namespace mmwemu {

enum class Rat { kMmwave, kLte };
enum class PathLoss { kAkdeniz, kUmiStreetCanyon, kUma };
enum class Beam { kDft, kSvd };
enum class FrameKind { kLegacy, kNumerology2, kNumerology3 };
enum class RlcMode { kAm, kUm };
enum class TransportKind { kLite, kUdp, kTcp };
enum class CongestionControl { kNewReno, kCubic, kBbr };

struct RlcTimers {
    Time poll_retransmit = 0, reordering = 0, status_prohibit = 0;
};

struct Array {
    std::uint32_t rows = 1, columns = 1;
};

struct MmwaveConfig {
    double carrier_hz = 0, bandwidth_hz = 0, noise_figure_db = 0;
    Array gnb_array, ue_array;
    PathLoss path_loss = PathLoss::kAkdeniz;
    Beam beam = Beam::kDft;
    FrameKind frame = FrameKind::kLegacy;
    bool harq = true;
    RlcMode rlc_mode = RlcMode::kAm;
    double channel_update_s = 0;
    RlcTimers timers;
};

/// The TCP connection from the remote host to the UE.
struct TcpConfig {
    CongestionControl congestion_control = CongestionControl::kCubic;
    std::uint32_t send_buffer_bytes = 0, receive_buffer_bytes = 0;
    std::uint32_t initial_window = 0, delayed_ack = 0;  // segments
    bool pacing = false, sack = true;
    Time min_rto = 0;
    std::uint64_t file_bytes = 0;  // 0: no end
};

/// All settings of a run. Records below the route are required exactly once for their RAT or transport; those that have
/// a default here are optional.
struct Config {
    Rat rat = Rat::kMmwave;
    std::uint64_t seed = 0;
    double duration_s = 0;
    Point base_station_m;
    std::vector<Waypoint> route;
    std::vector<Box> boxes;
    double power_dbm = 0;
    std::uint64_t rlc_buffer_bytes = 0;
    double rate_bps = 0;
    std::uint32_t payload_bytes = 0;
    Time traffic_start = 0, core_delay = 0;
    TransportKind transport = TransportKind::kLite;
    TcpConfig tcp;
    MmwaveConfig mmwave;
    std::uint32_t lte_resource_blocks = 0;

    std::size_t bins() const { return static_cast<std::size_t>(std::llround(duration_s * 1e3)); }
};

/// A configuration that cannot be used; the message names file and line.
class ConfigError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Read a configuration: one record a line, a name and its values separated by blanks; '#' begins a comment line.
Config read_config(const std::string& path);
Config parse_config(const std::string& name, const std::string& text);

}  // namespace mmwemu
