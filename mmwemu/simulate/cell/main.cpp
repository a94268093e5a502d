// SPDX-License-Identifier: GPL-2.0-only
// mmwemu-cell CONFIG OUT.csv META.json: simulate one cell; with several UEs OUT.ue1.csv and so on. Exit code 0 done, 1
// failed, 2 usage or configuration.

#include <ns3/rng-seed-manager.h>

#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/channel_file.h"
#include "core/config.h"
#include "core/frame.h"
#include "core/rays.h"
#include "core/recorder.h"
#include "core/source.h"
#include "radio/lte_cell.h"
#include "radio/mmwave_cell.h"
#include "transport/make_transport.h"

namespace {

using namespace mmwemu;

constexpr Time kProgressStep = 200 * kMillisecond;

void show_progress(Time now, Time total) {
    if (now % kProgressStep != 0 && now != total) return;
    std::fprintf(stderr, "progress %.3f %.3f\n", to_seconds(now), to_seconds(total));
}

/// IPv4 and UDP, or IPv4 and TCP with timestamps.
std::uint32_t header_bytes(const Config& config) {
    constexpr std::uint32_t kTcpHeaderBytes = 52;
    return config.transport == TransportKind::kTcp ? kTcpHeaderBytes : kHeaderBytes;
}

std::string describe(const Config& config, std::size_t bins) {
    const bool mmwave = config.rat == Rat::kMmwave;
    std::string json = "{\n  \"format\": 1,\n  \"program\": \"mmwemu-cell\",\n";
    json += "  \"version\": \"" MMWEMU_VERSION "\",\n  \"ns3_version\": \"" MMWEMU_NS3_VERSION "\",\n";
    json += std::string("  \"rat\": \"") + (mmwave ? "mmwave" : "lte") + "\",\n";
    json += "  \"seed\": " + std::to_string(config.seed) + ",\n";
    if (mmwave) {
        const Frame frame = make_frame(config.mmwave.frame, config.mmwave.bandwidth_hz);
        json += "  \"frame\": \"" + frame.name + "\",\n";
        json += "  \"slot_us\": " + std::to_string(frame.slot / kMicrosecond) + ",\n";
        json += "  \"peak_rate_bps\": " + std::to_string(std::llround(frame.peak_bps(kMcsCount - 1))) + ",\n";
    }
    if (config.transport == TransportKind::kUdp) json += "  \"transport\": \"udp\",\n";
    if (config.transport == TransportKind::kTcp) json += "  \"transport\": \"tcp\",\n";
    json += "  \"payload_bytes\": " + std::to_string(config.payload_bytes) + ",\n";
    json += "  \"header_bytes\": " + std::to_string(header_bytes(config)) + ",\n";
    return json + "  \"bins\": " + std::to_string(bins) + "\n}\n";
}

std::set<Extra> extras(const Config& config) {
    if (config.rat == Rat::kLte) return {};
    std::set<Extra> all{Extra::kRlc};
    if (config.mmwave.uplink.share > 0) all.insert(Extra::kUplink);
    if (config.transport == TransportKind::kTcp) all.insert(Extra::kSender);
    return all;
}

/// The trace of one UE: OUT.csv of the only one, OUT.ue2.csv of the second of several.
std::string csv_path_of(const std::filesystem::path& path, std::size_t ue, std::size_t ues) {
    if (ues == 1) return path;
    return path.parent_path() / (path.stem().string() + ".ue" + std::to_string(ue + 1) + path.extension().string());
}

void run_mmwave_cell(const Config& config, std::deque<Recorder>& recorders, const OnProgress& on_progress) {
    std::vector<std::unique_ptr<Transport>> transports;
    std::vector<UeEnds> ues;
    for (std::size_t i = 0; i < config.ues.size(); ++i) {
        transports.push_back(make_transport(config, config.ues[i]));
        ues.push_back({*transports[i], recorders[i]});
    }
    MmwaveCell(config, ues).run(on_progress);
}

void run(const char* config_path, const char* csv_path, const char* meta_path) {
    const Config config = read_config(config_path);
    ns3::RngSeedManager::SetSeed(1);
    ns3::RngSeedManager::SetRun(config.seed + 1);
    const std::size_t ues = config.ues.size();
    std::deque<Recorder> recorders;
    for (std::size_t i = 0; i < ues; ++i) recorders.emplace_back(config.bins(), extras(config));
    const Time total = static_cast<Time>(config.bins()) * Recorder::kBin;
    const auto on_progress = [total](Time now) { show_progress(now, total); };
    if (config.rat == Rat::kMmwave) {
        run_mmwave_cell(config, recorders, on_progress);
    } else {
        run_lte_cell(config, recorders.front(), on_progress);
    }
    for (std::size_t i = 0; i < ues; ++i) recorders[i].write_csv(csv_path_of(csv_path, i, ues));
    write_file(meta_path, describe(config, config.bins()));
}

int report(const std::exception& error, int code) {
    std::fprintf(stderr, "mmwemu-cell: %s\n", error.what());
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "--version") {
        std::puts("mmwemu-cell " MMWEMU_VERSION " (ns-3 " MMWEMU_NS3_VERSION ")");
        return 0;
    }
    if (argc != 4) {
        std::fputs("usage: mmwemu-cell CONFIG OUT.csv META.json\n", stderr);
        return 2;
    }
    try {
        run(argv[1], argv[2], argv[3]);
    } catch (const ConfigError& error) {
        return report(error, 2);
    } catch (const RayError& error) {
        return report(error, 2);
    } catch (const ChannelFileError& error) {
        return report(error, 2);
    } catch (const std::exception& error) {
        return report(error, 1);
    }
    return 0;
}
