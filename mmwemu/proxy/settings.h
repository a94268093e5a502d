// What milliProxy is told: its settings once, and what a base station knows from time to time.

#pragma once

#include <cstdint>

#include "segment.h"

namespace mmwemu::proxy {

/// The defaults are the paper's.
struct Settings {
    std::uint64_t buffer_bytes = 10'000'000;         // of data that is held back, of a connection
    std::uint64_t first_window_bytes = 400'000'000;  // before a round trip is known
    std::uint64_t backlog_limit_bytes = 2'000'000;   // of the base station, above which the window shrinks
    Time information_interval = 0;                   // at most one a call
    Time information_delay = 0;                      // from the base station to the proxy
};

/// What the base station knows of a client: the rate that its MAC could give, and the bytes that wait there.
struct Information {
    double rate_bps = 0;
    std::uint64_t backlog_bytes = 0;
};

}  // namespace mmwemu::proxy
