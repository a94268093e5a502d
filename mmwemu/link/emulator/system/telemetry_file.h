// The file in memory by which the parent process reads the telemetry.

#pragma once

#include <cstddef>
#include <span>

#include "core/bins.h"
#include "core/time.h"
#include "system/sys.h"

namespace mmwemu {

/// A mapped file of telemetry that the parent process reads: a page with the header, then the records.
class TelemetryFile {
  public:
    struct Header {
        Time epoch;       ///< CLOCK_MONOTONIC; 0 until the replay has started
        Time settled_to;  ///< CLOCK_MONOTONIC; up to here the records are complete
    };
    explicit TelemetryFile(const Fd& file);
    ~TelemetryFile();
    TelemetryFile(const TelemetryFile&) = delete;
    TelemetryFile& operator=(const TelemetryFile&) = delete;

    Header& header() { return *static_cast<Header*>(memory_); }
    std::span<Record> records() const;

  private:
    void* memory_;
    std::size_t bytes_;
};

}  // namespace mmwemu
