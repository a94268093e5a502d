// The file that the packet log is written to.

#pragma once

#include "core/packet_log.h"
#include "system/sys.h"

namespace mmwemu {

/// A file with a record of each packet. The event loop writes it: a chunk takes tens of microseconds, and a slow disk
/// shows as lateness.
class PacketFile {
  public:
    PacketFile(Fd file, bool headers)
        : log(headers, [this](const PacketLog::Chunk& chunk) { write(chunk); }), file_(std::move(file)) {}

    /// Write all records so far; throws if any write since the start has failed.
    void finish();

    PacketLog log;

  private:
    void write(const PacketLog::Chunk& chunk);

    Fd file_;
    int error_ = 0;  // errno of the first write that failed; there are no writes after it
};

}  // namespace mmwemu
