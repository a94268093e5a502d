// SPDX-License-Identifier: GPL-2.0-only
#include "core/channel_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "core/recorder.h"

namespace mmwemu {

namespace {

constexpr const char* kMagic = "mmwemu-channel 1";
constexpr std::uint64_t kMostBands = 10'000;

std::string describe(const ChannelHeader& h) {
    std::ostringstream text;
    text << kMagic << "\nhash " << h.hash << "\nseed " << h.seed << "\nbands " << h.bands << "\nperiod_ns " << h.period
         << "\nsamples " << h.samples << "\nvalue_bytes " << h.value_bytes << "\n\n";
    return text.str();
}

/// The value in a line `name value`.
template <typename T>
T field(std::istream& file, const std::string& path, const std::string& name) {
    std::string line, key;
    std::getline(file, line);
    std::istringstream words(line);
    T value{};
    if (!(words >> key >> value) || key != name || words.rdbuf()->in_avail() > 0) {
        throw ChannelFileError(path + ": is not a file of channel realisations: " + name + " is missing");
    }
    return value;
}

ChannelHeader read_header(std::istream& file, const std::string& path) {
    std::string line;
    std::getline(file, line);
    if (line != kMagic) throw ChannelFileError(path + ": is not a file of channel realisations of format 1");
    ChannelHeader h;
    h.hash = field<std::string>(file, path, "hash");
    h.seed = field<std::uint64_t>(file, path, "seed");
    h.bands = field<std::uint64_t>(file, path, "bands");
    h.period = field<Time>(file, path, "period_ns");
    h.samples = field<std::uint64_t>(file, path, "samples");
    h.value_bytes = field<std::uint64_t>(file, path, "value_bytes");
    std::getline(file, line);
    const bool sound = line.empty() && file && h.bands > 0 && h.bands <= kMostBands && h.period > 0 &&
                       h.period <= kSecond && (h.value_bytes == 4 || h.value_bytes == 8);
    if (!sound) throw ChannelFileError(path + ": has a header that makes no sense");
    return h;
}

template <typename T>
void put(std::ostream& file, std::vector<T>& values, bool los, bool searching, std::span<const double> gain) {
    values.assign({static_cast<T>(los), static_cast<T>(searching)});
    for (const double one : gain) values.push_back(static_cast<T>(one));
    file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

template <typename T>
void take(const std::vector<char>& bytes, ChannelRecord& record) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    record.los = values[0] != 0;
    record.searching = values[1] != 0;
    record.gain.assign(values.begin() + 2, values.end());
}

}  // namespace

ChannelFileWriter::ChannelFileWriter(const std::string& path, const ChannelHeader& header)
    : path_(path), header_(header), file_(path, std::ios::binary | std::ios::trunc) {
    file_ << describe(header_);
    check();
}

void ChannelFileWriter::write(bool los, bool searching, std::span<const double> gain) {
    if (written_ == header_.samples) return;
    if (header_.value_bytes == 4) {
        put(file_, floats_, los, searching, gain);
    } else {
        put(file_, doubles_, los, searching, gain);
    }
    if (++written_ == header_.samples) file_.flush();
    check();
}

void ChannelFileWriter::check() const {
    if (!file_) throw WriteError("cannot write " + path_ + ": " + std::strerror(errno));
}

ChannelFileReader::ChannelFileReader(const std::string& path, const std::string& hash, Time duration)
    : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw ChannelFileError(path + ": cannot be read: " + std::strerror(errno));
    header_ = read_header(file_, path);
    if (header_.hash != hash) throw ChannelFileError(path + ": holds the channel of another scenario");
    const auto held = static_cast<double>(header_.samples) * static_cast<double>(header_.period);
    if (held < static_cast<double>(duration)) {
        std::ostringstream problem;
        problem << path << ": holds " << held / 1e9 << " s; the scenario lasts " << to_seconds(duration) << " s";
        throw ChannelFileError(problem.str());
    }
    const auto begin = static_cast<std::uint64_t>(file_.tellg());
    const std::uint64_t bytes = std::filesystem::file_size(path) - begin;
    if (bytes / header_.record_bytes() != header_.samples || bytes % header_.record_bytes() != 0) {
        throw ChannelFileError(path + ": is not as long as its header says");
    }
    bytes_.resize(header_.record_bytes());
}

const ChannelRecord& ChannelFileReader::next() {
    if (!file_.read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()))) {
        throw ChannelFileError(path_ + ": ends too early");
    }
    if (header_.value_bytes == 4) {
        take<float>(bytes_, record_);
    } else {
        take<double>(bytes_, record_);
    }
    return record_;
}

}  // namespace mmwemu
