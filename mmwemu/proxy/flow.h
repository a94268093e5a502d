// One TCP connection as milliProxy steers it (Polese et al. 2017, section III): how much may be on its way.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "round_trip.h"
#include "segment.h"
#include "settings.h"

namespace mmwemu::proxy {

/// Counts what is on its way to the client, and decides what may follow and which window the server is told.
///
/// The window is the round trip without queues times the rate, less twice the backlog if that is above its limit. What
/// the client itself can take bounds what is passed on; the server may be ahead of that by the buffer. Without both
/// SYNs the scale of the window is unknown, and all passes unchanged.
class Flow {
  public:
    explicit Flow(const Settings& settings) : settings_(settings) {}

    void from_server(Time now, const Segment& segment);

    /// Take a segment of the client; returns the window to write into it, if another than its own.
    std::optional<std::uint16_t> from_client(Time now, const Segment& segment, const Information& information);

    /// Whether the server was told that it may send next to nothing.
    bool is_stopped() const { return scale_.has_value() && told_bytes_ <= kStoppedBytes; }

    /// Whether nothing more is to come: reset, or both ends closed and the client has all.
    bool is_over() const { return reset_ || (server_closed_ && client_closed_ && sent_end_ == client_ack_); }

    /// Whether the window is known to be the one that is meant.
    bool is_steered() const { return scale_.has_value(); }

    /// Whether this segment of the server holds data that the client has not been sent yet.
    bool is_new(const Segment& segment) const { return distance(segment.end(), sent_end_) > 0; }

    /// Whether new data up to `end` may go to the client now; one segment always may where nothing is on its way.
    bool may_pass(std::uint32_t end, const Information& information) const;

    /// Whether the client has room for data up to `end`.
    bool has_room(std::uint32_t end) const { return distance(end, client_edge_) <= 0; }

    /// Count a segment that went to the client.
    void passed(const Segment& segment) {
        if (is_new(segment)) sent_end_ = segment.end();
        if (segment.has(Segment::kFin)) server_closed_ = true;
        if (segment.has(Segment::kRst)) reset_ = true;
    }

    /// How much may be on its way, bytes.
    std::uint64_t window_bytes(const Information& information) const;

    /// The window of an acknowledgement to send to a server that was told to stop and may go on now, if it is to be.
    std::optional<std::uint16_t> reopened(const Information& information);

    Time last_seen() const { return last_seen_; }

  private:
    static constexpr std::uint64_t kStoppedBytes = 3'000;  // two segments: a sender may wait for more

    std::uint16_t tell(const Information& information);

    Settings settings_;
    RoundTrip round_trip_;
    bool server_syn_ = false, client_syn_ = false;
    bool server_closed_ = false, client_closed_ = false, reset_ = false;
    std::optional<std::uint8_t> server_scale_, client_scale_;  // as in the SYNs
    std::optional<std::uint8_t> scale_;                        // in force for the client's window
    std::uint32_t sent_end_ = 0;                               // of what went to the client
    std::uint32_t client_ack_ = 0, client_edge_ = 0;           // end of what the client has, and of what it can take
    std::uint64_t told_bytes_ = 0;
    Time last_seen_ = 0;
};

}  // namespace mmwemu::proxy
