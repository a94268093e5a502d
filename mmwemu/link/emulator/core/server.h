// What serves the packets of one direction: one link for all, or a cell that gives slots to its clients.

#pragma once

#include <cstdint>

#include "core/packet.h"
#include "core/schedule.h"
#include "core/time.h"

namespace mmwemu {

/// Segments of one packet that leave the server together.
struct Departure {
    Time time = 0;
    PacketRef packet;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint64_t number = 0;  ///< of the first segment, counted from 1 by arrival at the server
    Time arrival = 0;
    std::uint32_t client = 0;  ///< whose packet it is, from 0; without a cell always 0
};

/// Queues packets and serves them at the rates of schedules.
///
/// Results depend only on the times that the methods are given, not on when they are called.
class Server {
  public:
    virtual ~Server() = default;

    /// A packet arrives at `now`; all departures up to `now` must have been popped before.
    virtual void push(Time now, PacketRef packet) = 0;

    /// The next departure at or before `until`; false if there is none.
    virtual bool pop(Time until, Departure& departure) = 0;

    /// Nothing that departs leaves before this time; kNever while the queue is empty.
    virtual Time next() = 0;

    virtual std::uint64_t queue_bytes() const = 0;

    /// Whose packet this is, from 0.
    virtual std::uint32_t client_of(const Packet& packet) const = 0;
    /// The rate that a client would have alone at `now`.
    virtual double rate_bps(Time now, std::uint32_t client) = 0;
    /// What waits for a client.
    virtual std::uint64_t queue_bytes(std::uint32_t client) const = 0;

    /// The span of the client's schedule at the time of a departure.
    virtual const Span& service_at(const Departure& departure) = 0;

    /// Bring the records of clients up to `now`.
    virtual void record(Time) {}
    /// Count bytes of a client that were delivered at `time` since the epoch.
    virtual void delivered(Time, std::uint32_t /*client*/, std::uint64_t /*bytes*/) {}
};

}  // namespace mmwemu
