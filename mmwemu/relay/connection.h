// A relayed connection: both its halves and both its directions.

#pragma once

#include <cstdint>
#include <vector>

#include "ends.h"
#include "stream.h"

namespace mmwemu {

/// A connection that was accepted, and the one onwards. A failure of one resets the other.
class Connection {
  public:
    enum class Side : std::uint64_t { accepted, onwards };
    enum class State { waiting, busy, over };

    /// Start to connect onwards; throws if that cannot be.
    Connection(Fd accepted, Mode mode);

    const Fd& socket(Side side) const { return end(side).socket; }
    /// Take note of what epoll said of a side.
    void note(Side side, std::uint32_t events);
    /// Carry what can be carried: `busy` if more could be at once, `over` if the connection can be closed.
    State carry(std::vector<char>& buffer);

  private:
    const End& end(Side side) const { return side == Side::accepted ? accepted_ : onwards_; }
    void reset();

    End accepted_, onwards_;
    Stream forth_, back_;
    bool connected_ = false;
    bool failed_ = false;
};

}  // namespace mmwemu
