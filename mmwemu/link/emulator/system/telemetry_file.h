// The file in memory by which the parent process reads the telemetry.

#pragma once

#include <cstddef>
#include <span>

#include "core/bins.h"
#include "core/client_bins.h"
#include "core/time.h"
#include "system/sys.h"

namespace mmwemu {

/// A mapped file of telemetry that the parent process reads: a page with the header, then the records of both
/// directions, then those of the clients of a cell.
class TelemetryFile {
  public:
    struct Header {
        Time epoch;       ///< CLOCK_MONOTONIC; 0 until the replay has started
        Time settled_to;  ///< CLOCK_MONOTONIC; up to here the records are complete
    };
    TelemetryFile(const Fd& file, std::size_t clients);
    ~TelemetryFile();
    TelemetryFile(const TelemetryFile&) = delete;
    TelemetryFile& operator=(const TelemetryFile&) = delete;

    Header& header() { return *static_cast<Header*>(memory_); }
    std::span<Record> records() const;
    std::span<ClientRecord> client_records() const;

  private:
    void* memory_;
    std::size_t bytes_, clients_;
    std::size_t bins_ = 0;
};

}  // namespace mmwemu
