// SPDX-License-Identifier: GPL-2.0-only
#include "core/config.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "core/config_checks.h"
#include "core/config_values.h"

namespace mmwemu {

namespace {

constexpr double kMaxDurationS = 86'400;
constexpr std::uint64_t kMaxWindow = 1'000'000;
constexpr std::size_t kMostUes = 20;

constexpr double kNoTrafficOfItsOwn = -1;

void add_waypoint(Config& c, const Values& v) {
    if (c.ues.empty()) c.ues.push_back({{}, kNoTrafficOfItsOwn, 0, 0});
    std::vector<Waypoint>& route = c.ues.back().route;
    const double time_s = number<double>(v[0]);
    if (route.empty() && time_s != 0) refuse("the first waypoint is at " + v[0] + " s; it must be at 0");
    if (!route.empty() && time_s <= route.back().time_s) refuse("time " + v[0] + " s is not after the waypoint before");
    route.push_back({time_s, point(v, 1)});
}

void add_ue(Config& c, const Values& v) {
    if (!c.ues.empty() && c.ues.front().rate_bps == kNoTrafficOfItsOwn) refuse("waypoints come before the first ue");
    if (!c.ues.empty() && c.ues.back().route.empty()) refuse("the ue before has no waypoint");
    if (c.ues.size() == kMostUes) refuse("there are more than " + std::to_string(kMostUes) + " UEs");
    c.ues.push_back({{}, real(v[0], 0, 1e11), real(v[1], 0, 1e11), from_seconds(real(v[2], 0, kMaxDurationS))});
}

void add_box(Config& c, const Values& v) {
    Box box;
    box.low = {number<double>(v[0]), number<double>(v[2]), number<double>(v[4])};
    box.high = {number<double>(v[1]), number<double>(v[3]), number<double>(v[5])};
    if (box.low.x >= box.high.x || box.low.y >= box.high.y || box.low.z >= box.high.z) refuse("a side is not positive");
    box.loss_db = real(v[6], 0, 300);
    c.boxes.push_back(box);
}

// kOptional: at most once; kAny: any number of times.
enum class Need { kOnce, kMmwave, kLte, kTcp, kOptional, kAny };

struct Record {
    std::size_t values;
    Need need;
    std::function<void(Config&, const Values&)> read;
};

const std::map<std::string, Record>& records() {
    static const std::map<std::string, Record> all = {
        {"format", {1, Need::kOnce, [](Config&, const Values& v) { whole(v[0], 1, 1); }}},
        {"rat",
         {1, Need::kOnce,
          [](Config& c, const Values& v) {
              c.rat = choice<Rat>(v[0], {{"mmwave", Rat::kMmwave}, {"lte", Rat::kLte}});
          }}},
        {"seed", {1, Need::kOnce, [](Config& c, const Values& v) { c.seed = whole(v[0], 0, UINT32_MAX); }}},
        {"duration_s",
         {1, Need::kOnce, [](Config& c, const Values& v) { c.duration_s = real(v[0], 0.002, kMaxDurationS); }}},
        {"base_station", {3, Need::kOnce, [](Config& c, const Values& v) { c.base_station_m = point(v, 0); }}},
        {"ue", {3, Need::kAny, add_ue}},
        {"waypoint", {4, Need::kAny, add_waypoint}},
        {"box", {7, Need::kAny, add_box}},
        {"power_dbm", {1, Need::kOnce, [](Config& c, const Values& v) { c.power_dbm = real(v[0], -50, 80); }}},
        {"rlc_buffer_bytes",
         {1, Need::kOnce, [](Config& c, const Values& v) { c.rlc_buffer_bytes = whole(v[0], 1, UINT32_MAX); }}},
        {"rate_bps", {1, Need::kOnce, [](Config& c, const Values& v) { c.rate_bps = real(v[0], 1, 1e11); }}},
        {"uplink_rate_bps",
         {1, Need::kOptional, [](Config& c, const Values& v) { c.uplink_rate_bps = real(v[0], 0, 1e11); }}},
        {"payload_bytes",
         {1, Need::kOnce,
          [](Config& c, const Values& v) { c.payload_bytes = static_cast<std::uint32_t>(whole(v[0], 8, 65'000)); }}},
        {"start_s",
         {1, Need::kOnce,
          [](Config& c, const Values& v) { c.traffic_start = from_seconds(real(v[0], 0, kMaxDurationS)); }}},
        {"core_delay_s",
         {1, Need::kOnce, [](Config& c, const Values& v) { c.core_delay = from_seconds(real(v[0], 0, 10)); }}},
        {"transport",
         {1, Need::kOptional,
          [](Config& c, const Values& v) {
              c.transport = choice<TransportKind>(
                  v[0], {{"lite", TransportKind::kLite}, {"udp", TransportKind::kUdp}, {"tcp", TransportKind::kTcp}});
          }}},
        {"congestion_control",
         {1, Need::kTcp,
          [](Config& c, const Values& v) {
              c.tcp.congestion_control = choice<CongestionControl>(v[0], {{"newreno", CongestionControl::kNewReno},
                                                                          {"cubic", CongestionControl::kCubic},
                                                                          {"bbr", CongestionControl::kBbr}});
          }}},
        {"send_buffer_bytes",
         {1, Need::kTcp, [](Config& c, const Values& v) { c.tcp.send_buffer_bytes = buffer(v[0]); }}},
        {"receive_buffer_bytes",
         {1, Need::kTcp, [](Config& c, const Values& v) { c.tcp.receive_buffer_bytes = buffer(v[0]); }}},
        {"initial_window",
         {1, Need::kTcp,
          [](Config& c, const Values& v) {
              c.tcp.initial_window = static_cast<std::uint32_t>(whole(v[0], 1, kMaxWindow));
          }}},
        {"delayed_ack",
         {1, Need::kTcp,
          [](Config& c, const Values& v) { c.tcp.delayed_ack = static_cast<std::uint32_t>(whole(v[0], 1, 100)); }}},
        {"pacing", {1, Need::kTcp, [](Config& c, const Values& v) { c.tcp.pacing = whole(v[0], 0, 1) == 1; }}},
        {"sack", {1, Need::kTcp, [](Config& c, const Values& v) { c.tcp.sack = whole(v[0], 0, 1) == 1; }}},
        {"min_rto_s",
         {1, Need::kTcp, [](Config& c, const Values& v) { c.tcp.min_rto = from_seconds(real(v[0], 0.001, 60)); }}},
        {"file_bytes",
         {1, Need::kTcp, [](Config& c, const Values& v) { c.tcp.file_bytes = whole(v[0], 0, 1'000'000'000'000); }}},
        {"milliproxy",
         {4, Need::kOptional,
          [](Config& c, const Values& v) {
              c.tcp.proxy = {whole(v[0], 0, 10'000'000'000), whole(v[1], 0, 10'000'000'000),
                             from_seconds(real(v[2], 0, 10)), from_seconds(real(v[3], 0, 10))};
          }}},
        {"split_proxy", {1, Need::kOptional, [](Config& c, const Values& v) { c.tcp.split = whole(v[0], 0, 1) == 1; }}},
        {"rays", {1, Need::kOptional, [](Config& c, const Values& v) { c.rays_path = v[0]; }}},
        {"carrier_hz",
         {1, Need::kMmwave, [](Config& c, const Values& v) { c.mmwave.carrier_hz = real(v[0], 5e8, 1e11); }}},
        {"bandwidth_hz",
         {1, Need::kMmwave, [](Config& c, const Values& v) { c.mmwave.bandwidth_hz = real(v[0], 2e7, 4e9); }}},
        {"noise_figure_db",
         {1, Need::kMmwave, [](Config& c, const Values& v) { c.mmwave.noise_figure_db = real(v[0], 0, 50); }}},
        {"gnb_array", {2, Need::kMmwave, [](Config& c, const Values& v) { c.mmwave.gnb_array = array(v); }}},
        {"ue_array", {2, Need::kMmwave, [](Config& c, const Values& v) { c.mmwave.ue_array = array(v); }}},
        {"path_loss",
         {1, Need::kMmwave,
          [](Config& c, const Values& v) {
              c.mmwave.path_loss = choice<PathLoss>(v[0], {{"akdeniz", PathLoss::kAkdeniz},
                                                           {"umi-street-canyon", PathLoss::kUmiStreetCanyon},
                                                           {"uma", PathLoss::kUma}});
          }}},
        {"beam",
         {1, Need::kMmwave,
          [](Config& c, const Values& v) {
              c.mmwave.beam =
                  choice<Beam>(v[0], {{"dft", Beam::kDft}, {"svd", Beam::kSvd}, {"codebook", Beam::kCodebook}});
          }}},
        {"frame",
         {1, Need::kMmwave,
          [](Config& c, const Values& v) {
              c.mmwave.frame = choice<FrameKind>(v[0], {{"legacy", FrameKind::kLegacy},
                                                        {"numerology2", FrameKind::kNumerology2},
                                                        {"numerology3", FrameKind::kNumerology3}});
          }}},
        {"tti",
         {1, Need::kOptional,
          [](Config& c, const Values& v) {
              c.mmwave.tti = choice<Tti>(v[0], {{"fixed", Tti::kFixed}, {"flexible", Tti::kFlexible}});
          }}},
        {"scheduler",
         {1, Need::kOptional,
          [](Config& c, const Values& v) {
              c.mmwave.scheduler =
                  choice<SchedulerKind>(v[0], {{"round-robin", SchedulerKind::kRoundRobin},
                                               {"proportional-fair", SchedulerKind::kProportionalFair}});
          }}},
        {"uplink",
         {3, Need::kOptional,
          [](Config& c, const Values& v) {
              c.mmwave.uplink = {real(v[0], 0.01, 0.9), real(v[1], -50, 80), real(v[2], 0, 50)};
          }}},
        {"harq", {1, Need::kMmwave, [](Config& c, const Values& v) { c.mmwave.harq = whole(v[0], 0, 1) == 1; }}},
        {"processing_s",
         {1, Need::kOptional,
          [](Config& c, const Values& v) { c.mmwave.processing = from_seconds(real(v[0], 0, 0.1)); }}},
        {"rlc_mode",
         {1, Need::kOptional,
          [](Config& c, const Values& v) {
              c.mmwave.rlc_mode = choice<RlcMode>(v[0], {{"am", RlcMode::kAm}, {"um", RlcMode::kUm}});
          }}},
        {"channel_update_s",
         {1, Need::kMmwave,
          [](Config& c, const Values& v) { c.mmwave.channel_update_s = real(v[0], 0.001, kMaxDurationS); }}},
        {"evolution",
         {1, Need::kOptional,
          [](Config& c, const Values& v) {
              c.mmwave.evolution = choice<Evolution>(
                  v[0], {{"independent", Evolution::kIndependent}, {"consistent", Evolution::kConsistent}});
          }}},
        {"los_change",
         {1, Need::kOptional,
          [](Config& c, const Values& v) {
              c.mmwave.los_change = choice<LosChange>(
                  v[0], {{"immediate", LosChange::kImmediate}, {"diffraction", LosChange::kDiffraction}});
          }}},
        {"shadowing",
         {1, Need::kOptional, [](Config& c, const Values& v) { c.mmwave.shadowing = whole(v[0], 0, 1) == 1; }}},
        {"blockage",
         {1, Need::kOptional, [](Config& c, const Values& v) { c.mmwave.blockage = whole(v[0], 0, 1) == 1; }}},
        {"beam_search",
         {3, Need::kOptional,
          [](Config& c, const Values& v) {
              c.mmwave.search = {timer(v[0]), from_seconds(real(v[1], 0, 10)), real(v[2], 0, 30)};
              if (c.mmwave.search.sweep >= c.mmwave.search.period) refuse("the sweep is not shorter than the period");
          }}},
        {"poll_retransmit_s",
         {1, Need::kMmwave, [](Config& c, const Values& v) { c.mmwave.timers.poll_retransmit = timer(v[0]); }}},
        {"reordering_s",
         {1, Need::kMmwave, [](Config& c, const Values& v) { c.mmwave.timers.reordering = timer(v[0]); }}},
        {"status_prohibit_s",
         {1, Need::kMmwave, [](Config& c, const Values& v) { c.mmwave.timers.status_prohibit = timer(v[0]); }}},
        {"channel_in", {1, Need::kOptional, [](Config& c, const Values& v) { c.channel.in_path = v[0]; }}},
        {"channel_out", {1, Need::kOptional, [](Config& c, const Values& v) { c.channel.out_path = v[0]; }}},
        {"channel_hash", {1, Need::kOptional, [](Config& c, const Values& v) { c.channel.hash = v[0]; }}},
        {"lte_path_loss",
         {1, Need::kOptional,
          [](Config& c, const Values& v) {
              c.lte_path_loss = choice<LtePathLoss>(v[0], {{"hybrid-buildings", LtePathLoss::kHybridBuildings},
                                                           {"umi-street-canyon", LtePathLoss::kUmiStreetCanyon},
                                                           {"uma", LtePathLoss::kUma}});
          }}},
        {"resource_blocks",
         {1, Need::kLte,
          [](Config& c, const Values& v) {
              c.lte_resource_blocks =
                  choice<std::uint32_t>(v[0], {{"6", 6}, {"15", 15}, {"25", 25}, {"50", 50}, {"75", 75}, {"100", 100}});
          }}},
    };
    return all;
}

void require_all(const std::string& name, const Config& config, const std::set<std::string>& seen) {
    const Need own = config.rat == Rat::kMmwave ? Need::kMmwave : Need::kLte;
    for (const auto& [key, record] : records()) {
        const bool needed = record.need == Need::kOnce || record.need == own ||
                            (record.need == Need::kTcp && config.transport == TransportKind::kTcp);
        if (needed && !seen.contains(key)) throw ConfigError(name + ": record '" + key + "' is missing");
    }
}

}  // namespace

Config parse_config(const std::string& name, const std::string& text) {
    Config config;
    std::set<std::string> seen;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t at = 1; std::getline(lines, line); ++at) {
        std::istringstream words(line);
        std::string key;
        if (!(words >> key) || key.front() == '#') continue;
        Values values;
        for (std::string word; words >> word;) values.push_back(word);
        const auto fail = [&](const std::string& problem) {
            throw ConfigError(name + ":" + std::to_string(at) + ": " + key + ": " + problem);
        };
        const auto found = records().find(key);
        if (found == records().end()) fail("unknown record");
        const Record& record = found->second;
        if (record.need != Need::kAny && !seen.insert(key).second) fail("given twice");
        if (values.size() != record.values) {
            fail("has " + std::to_string(values.size()) + " values; it takes " + std::to_string(record.values));
        }
        try {
            record.read(config, values);
        } catch (const std::invalid_argument& error) {
            fail(error.what());
        }
    }
    if (!config.ues.empty() && config.ues.front().rate_bps == kNoTrafficOfItsOwn) {
        UeConfig& only = config.ues.front();
        only.rate_bps = config.rate_bps;
        only.uplink_rate_bps = config.uplink_rate_bps;
        only.traffic_start = config.traffic_start;
    }
    require_all(name, config, seen);
    check_together(name, config);
    return config;
}

Config read_config(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (!file || !text) throw ConfigError(path + ": cannot be read: " + std::strerror(errno));
    return parse_config(path, text.str());
}

}  // namespace mmwemu
