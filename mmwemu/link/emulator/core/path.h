#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/bins.h"
#include "core/bottleneck.h"
#include "core/impairments.h"
#include "core/packet.h"
#include "core/schedule.h"
#include "core/time.h"

namespace mmwemu {

/// What a delivery is counted as.
enum class Kind { whole, copy, damaged };

/// Consecutive segments of one packet that are due at the far device.
struct Delivery {
    Time due = 0;   ///< of the first segment
    Time left = 0;  ///< when the first segment left the bottleneck; kNever if it met none
    PacketRef packet;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    Kind kind = Kind::whole;
    std::uint64_t number = 0;  ///< as of Departure
    Time arrival = 0;
};

struct PathSettings {
    Time core_delay = 0;
    bool core_first = false;  ///< downlink: core link, then bottleneck; uplink: the other way round
    QueueSettings queue;
    Outage outage = Outage::hold;
    Time start_at = 0;  ///< the schedule's time at the epoch
    std::uint64_t seed = 0;
    Time slot = 0;                         ///< what departs waits for the end of its slot; 0: it does not
    std::vector<PacketEvent> events = {};  ///< rising by number
};

/// One direction of the link: core delay, bottleneck, access delay and what befalls packets, in the order they meet it.
///
/// Before the epoch it is a wire with the core delay. Pure: time is what the methods are given.
class Path {
  public:
    /// `schedule` outlives the path.
    Path(const Schedule& schedule, const PathSettings& settings, Bins bins)
        : schedule_(schedule), settings_(settings), bins_(bins), impairments_(settings.seed, settings.events) {}

    Path(const Path&) = delete;
    Path& operator=(const Path&) = delete;

    /// The schedule starts at `epoch`; call once, before any push() at or after it.
    void begin(Time epoch);

    /// A packet was read from the near device at `now`; times must not fall.
    void push(Time now, PacketRef packet);

    /// What is due at the far device at `now`, oldest first; false if nothing is.
    bool pop(Time now, Delivery& delivery);

    /// No delivery is due before this time.
    Time next();

    /// A popped delivery was written at `now`, or could not be.
    void delivered(Time now, const Delivery& delivery);
    void lost_at_device(Time now, const Delivery& delivery);
    /// A packet was read but has no place here.
    void lost_at_device(Time now, const Packet& packet);
    /// The kernel dropped packets before they could be read.
    void lost_at_device(Time now, std::uint64_t packets);

    /// Nothing was moved for a time before `now`, though there may have been packets.
    void stood_still(Time now, Time length);

    /// Work off all that happens up to `now` and write it down.
    void advance(Time now);

    /// Up to here, at most `now`, all that left the bottleneck has been delivered, so the records are complete.
    Time settled(Time now) const;

  private:
    struct Arrival {
        Time time;
        PacketRef packet;
    };
    void depart(const Departure& departure);
    Time slot_end(Time time) const;
    void befall(const Departure& departure, const Span& span, std::uint32_t segment_of_packet);
    void line_up(Delivery delivery, bool in_order);
    Passage passage_of(const Delivery& delivery, Time delivered) const;

    const Schedule& schedule_;
    PathSettings settings_;
    Bins bins_;
    Impairments impairments_;
    Time epoch_ = kNever;
    std::optional<Bottleneck> bottleneck_;  // from the epoch on
    std::deque<Arrival> before_;            // on the core link, on their way to the bottleneck
    std::deque<Delivery> behind_;           // on their way to the far device, by due time
    Time last_due_ = 0;                     // of what keeps its order
};

}  // namespace mmwemu
