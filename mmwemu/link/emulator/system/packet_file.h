#pragma once

#include "core/packet_log.h"
#include "system/sys.h"

namespace mmwemu {

/// A file with a record of each packet. Written to from the event loop: a piece takes some tens of microseconds, and a
/// disk that is slower than that shows as lateness.
class PacketFile {
  public:
    PacketFile(Fd file, bool headers)
        : log(headers, [this](const PacketLog::Chunk& chunk) { write(chunk); }), file_(std::move(file)) {}

    /// Write out what there is; throws if anything could not be written since the start.
    void finish();

    PacketLog log;

  private:
    void write(const PacketLog::Chunk& chunk);

    Fd file_;
    int error_ = 0;  // errno of the first write that failed; nothing is written after it
};

}  // namespace mmwemu
