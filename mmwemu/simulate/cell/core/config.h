// SPDX-License-Identifier: GPL-2.0-only
// The configuration of one run of the cell.

#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "core/time.h"

namespace mmwemu {

enum class Rat { kMmwave, kLte };
enum class PathLoss { kAkdeniz, kUmiStreetCanyon, kUma };
enum class LtePathLoss { kHybridBuildings, kUmiStreetCanyon, kUma };
enum class Beam { kDft, kSvd, kCodebook };
enum class Evolution { kIndependent, kConsistent };
enum class LosChange { kImmediate, kDiffraction };
enum class FrameKind { kLegacy, kNumerology2, kNumerology3 };
enum class RlcMode { kAm, kUm };
enum class TransportKind { kLite, kUdp, kTcp };
enum class CongestionControl { kNewReno, kCubic, kBbr };
enum class Tti { kFixed, kFlexible };
enum class SchedulerKind { kRoundRobin, kProportionalFair };

struct RlcTimers {
    Time poll_retransmit = 0, reordering = 0, status_prohibit = 0;
};

struct Array {
    std::uint32_t rows = 1, columns = 1;
};

/// The search of a beam: each period a sweep over all pairs of beams, in which nothing is sent.
struct BeamSearch {
    Time period = 20 * kMillisecond, sweep = 5 * kMillisecond;
    double error_db = 1;  // standard deviation of a measurement
};

/// The uplink of the mmWave cell; there is none if its share of the symbols is 0.
struct UplinkConfig {
    double share = 0;
    double power_dbm = 0, noise_figure_db = 0;  // of the UE, of the base station
};

/// Files of channel realisations; no path: not read, not written.
struct ChannelFiles {
    std::string in_path, out_path;
    std::string hash;  // of the scenario's channel
};

struct MmwaveConfig {
    double carrier_hz = 0, bandwidth_hz = 0, noise_figure_db = 0;
    Array gnb_array, ue_array;
    PathLoss path_loss = PathLoss::kAkdeniz;
    Beam beam = Beam::kDft;
    FrameKind frame = FrameKind::kLegacy;
    Tti tti = Tti::kFixed;
    SchedulerKind scheduler = SchedulerKind::kRoundRobin;
    UplinkConfig uplink;
    bool harq = true;
    Time processing = 0;  // of a packet in each direction, beside what the slots take
    RlcMode rlc_mode = RlcMode::kAm;
    double channel_update_s = 0;
    Evolution evolution = Evolution::kIndependent;
    LosChange los_change = LosChange::kImmediate;
    bool shadowing = false, blockage = false;
    BeamSearch search;
    RlcTimers timers;
};

/// milliProxy at the base station.
struct ProxyConfig {
    std::uint64_t buffer_bytes = 0, backlog_limit_bytes = 0;
    Time information_interval = 0, information_delay = 0;
};

/// The TCP connection from the remote host to the UE.
struct TcpConfig {
    CongestionControl congestion_control = CongestionControl::kCubic;
    std::uint32_t send_buffer_bytes = 0, receive_buffer_bytes = 0;
    std::uint32_t initial_window = 0, delayed_ack = 0;  // segments
    bool pacing = false, sack = true;
    Time min_rto = 0;
    std::uint64_t file_bytes = 0;  // 0: no end
    std::optional<ProxyConfig> proxy;
    bool split = false;  // a split proxy at the base station
};

/// One UE: its way, and its UDP traffic in transport payload; a rate of 0 sends nothing.
struct UeConfig {
    std::vector<Waypoint> route;
    double rate_bps = 0, uplink_rate_bps = 0;
    Time traffic_start = 0;
};

/// All settings of a run. Every record below the boxes is required exactly once for its RAT or transport, but for a few
/// with defaults.
struct Config {
    Rat rat = Rat::kMmwave;
    std::uint64_t seed = 0;
    double duration_s = 0;
    Point base_station_m;
    std::vector<UeConfig> ues;  // at least one
    std::vector<Box> boxes;
    double power_dbm = 0;
    std::uint64_t rlc_buffer_bytes = 0;
    double rate_bps = 0, uplink_rate_bps = 0;  // of a UE that has no traffic of its own
    std::uint32_t payload_bytes = 0;
    Time traffic_start = 0, core_delay = 0;
    TransportKind transport = TransportKind::kLite;
    TcpConfig tcp;
    MmwaveConfig mmwave;
    std::uint32_t lte_resource_blocks = 0;
    ChannelFiles channel;
    LtePathLoss lte_path_loss = LtePathLoss::kHybridBuildings;
    std::string rays_path;  // of the rays that are the mmWave channel; empty: its statistics are drawn

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
