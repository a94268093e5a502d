#pragma once

#include <cstdint>
#include <deque>

#include "core/bins.h"
#include "core/packet.h"
#include "core/schedule.h"
#include "core/time.h"

namespace mmwemu {

/// Segments of one packet that leave the bottleneck together.
struct Departure {
    Time time = 0;
    PacketRef packet;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint64_t number = 0;  ///< of the first segment, counted from 1 as they came to the bottleneck
};

/// A drop-tail queue in bytes before a server whose rate follows a schedule.
///
/// A segment departs when the integral of the rate since the departure before it, or since its own arrival if that is
/// later, reaches its size. Nothing depends on when the methods are called, only on the times they are given.
class Bottleneck {
  public:
    Bottleneck(const Schedule& schedule, Time origin, std::uint64_t limit_bytes, Outage outage, Bins* bins, Time epoch)
        : arrivals_(schedule, origin),
          service_(schedule, origin),
          limit_bytes_(limit_bytes),
          outage_(outage),
          bins_(bins),
          epoch_(epoch) {}

    /// A packet arrives at `now`; all departures up to `now` must have been popped before.
    void push(Time now, PacketRef packet);

    /// The next departure at or before `until`; false if there is none.
    bool pop(Time until, Departure& departure);

    /// No departure is before this time; kNever while the queue is empty.
    Time next();

    std::uint64_t queue_bytes() const { return queue_bytes_; }
    const Segment& service_at(Time time) { return service_.at(time); }

  private:
    struct Queued {
        PacketRef packet;
        std::uint32_t first;  // of the segments that are still here
        std::uint32_t end;
        std::uint64_t number;  // of the packet's first segment
    };
    void begin_service(Time now);
    void serve();

    Cursor arrivals_, service_;
    std::uint64_t limit_bytes_;
    Outage outage_;
    Bins* bins_;
    Time epoch_;
    std::deque<Queued> queue_;
    std::uint64_t queue_bytes_ = 0;
    std::uint64_t arrived_ = 0;  // segments
    Time served_to_ = 0;         // the head segment has been served up to here ...
    double left_bits_ = 0;       // ... and needs this much more
    double spare_bits_ = 0;      // of the last nanosecond's integral, for the next segment if it waits already
    bool finished_ = false;      // the head segment departs at served_to_
};

}  // namespace mmwemu
