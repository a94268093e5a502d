// One direction of a relayed connection.

#pragma once

#include <cstddef>
#include <vector>

#include "ends.h"

namespace mmwemu {

/// Carries bytes from one socket to another, and holds at most one buffer of them while the other takes none.
class Stream {
  public:
    static constexpr std::size_t kBufferBytes = 1 << 17;

    /// Carry at most about `budget` bytes. Return whether more could be carried at once; throws when a socket failed.
    bool carry(End& source, End& sink, std::vector<char>& buffer, std::size_t budget);
    /// Whether the source has ended, and the sink was told.
    bool finished() const { return finished_; }

  private:
    bool flush(End& sink);
    static std::size_t write(End& sink, const char* data, std::size_t bytes);

    std::vector<char> held_;
    std::size_t taken_ = 0;  // of what is held
    bool ended_ = false;
    bool finished_ = false;
};

}  // namespace mmwemu
