// The round trip of a connection, measured by TCP's timestamps from a place between its ends.

#pragma once

#include <deque>
#include <optional>

#include "segment.h"

namespace mmwemu::proxy {

/// From here to one end and back: a value on its way there, and its echo on the way back.
class HalfRoundTrip {
  public:
    /// A packet towards the end had this value at `now`. The first of several with one value counts.
    void sent(Time now, std::uint32_t value);

    /// A packet from the end echoes this value at `now`.
    void echoed(Time now, std::uint32_t value);

    /// The shortest so far.
    std::optional<Time> least() const { return least_; }

  private:
    static constexpr std::size_t kMostPending = 4096;
    struct Pending {
        std::uint32_t value;
        Time sent;
    };
    std::deque<Pending> pending_;  // by rising value
    std::optional<Time> least_;
};

/// Both halves; without waiting in queues, since each is the shortest seen.
class RoundTrip {
  public:
    void from_server(Time now, const Timestamps& timestamps) {
        to_client_.sent(now, timestamps.value);
        to_server_.echoed(now, timestamps.echo);
    }
    void from_client(Time now, const Timestamps& timestamps) {
        to_server_.sent(now, timestamps.value);
        to_client_.echoed(now, timestamps.echo);
    }

    std::optional<Time> least() const {
        if (!to_client_.least() || !to_server_.least()) return std::nullopt;
        return *to_client_.least() + *to_server_.least();
    }

  private:
    HalfRoundTrip to_client_, to_server_;
};

}  // namespace mmwemu::proxy
