// SPDX-License-Identifier: GPL-2.0-only
#include "core/recorder.h"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace mmwemu {

namespace {

std::string text(double value, const char* format) {
    if (std::isnan(value)) return "nan";
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
}

constexpr double kBinS = to_seconds(Recorder::kBin);

double mean(double sum, std::uint32_t count) {
    return count == 0 ? Bin::kNone : sum / count;
}

struct Column {
    const char* name;
    const char* format;
    double (*value)(const Bin&);
};

constexpr std::array<Column, 8> kColumns{{
    {"los", "%.0f", [](const Bin& b) { return b.los; }},
    {"sinr_db", "%.3f", [](const Bin& b) { return b.sinr_db; }},
    {"mcs", "%.0f", [](const Bin& b) { return b.mcs; }},
    {"phy_rate_bps", "%.0f", [](const Bin& b) { return b.phy_bits / kBinS; }},
    {"throughput_bps", "%.0f", [](const Bin& b) { return b.payload_bytes * 8 / kBinS; }},
    {"rlc_queue_bytes", "%.0f", [](const Bin& b) { return b.queue_bytes; }},
    {"delay_s", "%.7f", [](const Bin& b) { return mean(b.delay_sum_s, b.delivered); }},
    {"drops", "%.0f", [](const Bin& b) { return static_cast<double>(b.drops); }},
}};

constexpr std::array<Column, 2> kRlcColumns{{
    {"ran_delay_s", "%.7f", [](const Bin& b) { return mean(b.ran_delay_sum_s, b.delivered); }},
    {"rlc_losses", "%.0f", [](const Bin& b) { return static_cast<double>(b.rlc_losses); }},
}};

constexpr std::array<Column, 2> kUplinkColumns{{
    {"uplink_phy_rate_bps", "%.0f", [](const Bin& b) { return b.uplink_phy_bits / kBinS; }},
    {"uplink_throughput_bps", "%.0f", [](const Bin& b) { return b.uplink_payload_bytes * 8 / kBinS; }},
}};

constexpr std::array<Column, 4> kSenderColumns{{
    {"cwnd_bytes", "%.0f", [](const Bin& b) { return b.cwnd_bytes; }},
    {"ssthresh_bytes", "%.0f", [](const Bin& b) { return b.ssthresh_bytes; }},
    {"rtt_s", "%.7f", [](const Bin& b) { return b.rtt_s; }},
    {"retransmissions", "%.0f", [](const Bin& b) { return static_cast<double>(b.retransmissions); }},
}};

[[noreturn]] void fail(const std::string& path) {
    throw WriteError("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace

void Recorder::delivered(Time now, const Sdu& packet) {
    Bin& bin = at(now);
    bin.payload_bytes += packet.payload_bytes;
    bin.delay_sum_s += to_seconds(now - packet.born);
    bin.ran_delay_sum_s += to_seconds(now - packet.arrived);
    ++bin.delivered;
}

void Recorder::write_csv(const std::string& path) const {
    std::vector<Column> columns(kColumns.begin(), kColumns.end());
    if (extras_.contains(Extra::kRlc)) columns.insert(columns.end(), kRlcColumns.begin(), kRlcColumns.end());
    if (extras_.contains(Extra::kUplink)) columns.insert(columns.end(), kUplinkColumns.begin(), kUplinkColumns.end());
    if (extras_.contains(Extra::kSender)) columns.insert(columns.end(), kSenderColumns.begin(), kSenderColumns.end());
    std::string csv = "time_s";
    for (const Column& column : columns) csv += std::string(",") + column.name;
    csv += '\n';
    csv.reserve(bins_.size() * 10 * columns.size());
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        csv += text(static_cast<double>(i) * kBinS, "%.3f");
        for (const Column& column : columns) csv += ',' + text(column.value(bins_[i]), column.format);
        csv += '\n';
    }
    write_file(path, csv);
}

void write_file(const std::string& path, const std::string& content) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) fail(path);
    const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
    const int error = errno;
    const bool closed = std::fclose(file) == 0;
    if (!written) errno = error;
    if (!written || !closed) fail(path);
}

}  // namespace mmwemu
