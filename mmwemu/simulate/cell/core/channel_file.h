// SPDX-License-Identifier: GPL-2.0-only
// Files of channel realisations.

#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/time.h"

namespace mmwemu {

/// A file of channel realisations that cannot be used.
class ChannelFileError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a file says of itself, as lines of text before its records.
struct ChannelHeader {
    std::string hash;  // of the scenario's channel
    std::uint64_t seed = 0, bands = 0, samples = 0;
    std::uint64_t value_bytes = 8;  // 8: double, 4: float
    Time period = 0;

    std::size_t record_bytes() const { return static_cast<std::size_t>((bands + 2) * value_bytes); }
};

/// The state of the channel at one sample.
struct ChannelRecord {
    bool los = false, searching = false;
    std::vector<double> gain;  // linear, by band
};

/// Writes a file, sample by sample; throws WriteError when it cannot.
class ChannelFileWriter {
  public:
    ChannelFileWriter(const std::string& path, const ChannelHeader& header);

    /// The last of `header.samples` also flushes.
    void write(bool los, bool searching, std::span<const double> gain);

  private:
    void check() const;

    std::string path_;
    ChannelHeader header_;
    std::ofstream file_;
    std::uint64_t written_ = 0;
    std::vector<double> doubles_;
    std::vector<float> floats_;
};

/// Reads a file, sample by sample.
class ChannelFileReader {
  public:
    /// The file must have the channel of `hash` for at least `duration`.
    ChannelFileReader(const std::string& path, const std::string& hash, Time duration);

    const ChannelHeader& header() const { return header_; }

    const ChannelRecord& next();

  private:
    std::string path_;
    ChannelHeader header_;
    std::ifstream file_;
    std::vector<char> bytes_;
    ChannelRecord record_;
};

}  // namespace mmwemu
