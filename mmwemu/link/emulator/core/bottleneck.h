// The bottleneck of one direction: a queue and a server whose rate follows the pattern.

#pragma once

#include <cstdint>
#include <memory>

#include "core/bins.h"
#include "core/packet.h"
#include "core/queue.h"
#include "core/schedule.h"
#include "core/server.h"
#include "core/time.h"

namespace mmwemu {

/// A queue before a server whose rate follows a schedule.
///
/// A segment departs when the integral of the rate since the departure before it, or since its own arrival if that is
/// later, reaches its size.
class Bottleneck final : public Server {
  public:
    Bottleneck(const Schedule& schedule, Time origin, const QueueSettings& queue, Outage outage, Bins* bins, Time epoch)
        : arrivals_(schedule, origin),
          service_(schedule, origin),
          asked_(schedule, origin),
          outage_(outage),
          bins_(bins),
          epoch_(epoch),
          queue_(make_queue(queue, bins, epoch)) {}

    void push(Time now, PacketRef packet) override;
    bool pop(Time until, Departure& departure) override;
    Time next() override;
    std::uint64_t queue_bytes() const override { return queue_->held().bytes; }
    std::uint32_t client_of(const Packet&) const override { return 0; }
    double rate_bps(Time now, std::uint32_t) override { return asked_.at(now).rate_bps; }
    std::uint64_t queue_bytes(std::uint32_t) const override { return queue_bytes(); }
    const Span& service_at(const Departure& departure) override { return service_.at(departure.time); }

  private:
    void begin_service(Time now);
    void serve_from(Time now, Item item);
    void serve();

    Cursor arrivals_, service_, asked_;
    Outage outage_;
    Bins* bins_;
    Time epoch_;
    std::unique_ptr<Queue> queue_;
    Item served_;                // no packet: the server is free
    std::uint64_t arrived_ = 0;  // segments
    Time served_to_ = 0;         // service of served_ is accounted for up to here ...
    double left_bits_ = 0;       // ... and served_ needs this much more
    double spare_bits_ = 0;  // left over from the last nanosecond; the next segment gets them if it is queued already
    bool finished_ = false;  // served_ departs at served_to_
};

}  // namespace mmwemu
