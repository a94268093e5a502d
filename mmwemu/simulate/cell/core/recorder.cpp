// SPDX-License-Identifier: GPL-2.0-only
#include "core/recorder.h"

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

[[noreturn]] void fail(const std::string& path) {
    throw WriteError("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace

void Recorder::delivered(Time now, Time born, std::uint32_t payload_bytes) {
    Bin& bin = at(now);
    bin.payload_bytes += payload_bytes;
    bin.delay_sum_s += to_seconds(now - born);
    ++bin.delivered;
}

void Recorder::write_csv(const std::string& path) const {
    constexpr double bin_s = to_seconds(kBin);
    std::string csv = "time_s,los,sinr_db,mcs,phy_rate_bps,throughput_bps,rlc_queue_bytes,delay_s,drops\n";
    csv.reserve(bins_.size() * 80);
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        const Bin& bin = bins_[i];
        const double delay_s = bin.delivered == 0 ? Bin::kNone : bin.delay_sum_s / bin.delivered;
        csv += text(static_cast<double>(i) * bin_s, "%.3f") + ',' + text(bin.los, "%.0f") + ',' +
               text(bin.sinr_db, "%.3f") + ',' + text(bin.mcs, "%.0f") + ',' + text(bin.phy_bits / bin_s, "%.0f") +
               ',' + text(bin.payload_bytes * 8 / bin_s, "%.0f") + ',' + text(bin.queue_bytes, "%.0f") + ',' +
               text(delay_s, "%.7f") + ',' + std::to_string(bin.drops) + '\n';
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
