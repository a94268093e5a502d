// One direction of the link from device to device: core link, bottleneck, access delay, impairments.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/bins.h"
#include "core/cell.h"
#include "core/impairments.h"
#include "core/packet.h"
#include "core/schedule.h"
#include "core/server.h"
#include "core/time.h"

namespace mmwemu {

/// How a delivery is counted.
enum class Kind { whole, copy, damaged };

/// Consecutive segments of one packet that are due at the far device.
struct Delivery {
    Time due = 0;   ///< of the first segment
    Time left = 0;  ///< when the first segment left the bottleneck; kNever if it was sent before the epoch
    PacketRef packet;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    Kind kind = Kind::whole;
    std::uint64_t number = 0;  ///< as in Departure
    Time arrival = 0;
    std::uint32_t client = 0;  ///< as in Departure
};

struct PathSettings {
    Time core_delay = 0;
    bool core_first = false;  ///< true for the downlink: the core link comes before the bottleneck
    QueueSettings queue;
    Outage outage = Outage::hold;
    Time start_at = 0;  ///< the schedule's time at the epoch
    std::uint64_t seed = 0;
    Time slot = 0;                          ///< departing packets wait for the end of their slot; 0: no slots
    std::vector<PacketEvent> events = {};   ///< their numbers do not fall
    std::optional<CellSettings> cell = {};  ///< in place of one schedule for all; its slot is `slot`
};

/// One direction of the link: core delay, bottleneck, access delay and impairments.
///
/// Before the epoch it is a wire with the core delay. It reads no clock: callers pass the time to each method.
class Path {
  public:
    /// `schedule` must outlive the path; with a cell it is not used.
    Path(const Schedule& schedule, const PathSettings& settings, Bins bins,
         std::span<ClientRecord> client_records = {});

    Path(const Path&) = delete;
    Path& operator=(const Path&) = delete;

    /// Start the schedule at `epoch`; call once, before any push() at or after it.
    void begin(Time epoch);

    /// Take a packet that was read from the near device at `now`; times must not fall.
    void push(Time now, PacketRef packet);

    /// Hand out the next delivery that is due at the far device at `now`; false if none is.
    bool pop(Time now, Delivery& delivery);

    /// What a base station knows of a client.
    struct State {
        double rate_bps = 0;  ///< that the client would have alone; none before the epoch
        std::uint64_t queue_bytes = 0;
    };
    /// Return the rate at `time`, which may have passed, and the queue as it is.
    State state(Time time, std::uint32_t client);

    /// Whose packet this is, from 0; without a cell always 0.
    std::uint32_t client_of(const Packet& packet) const { return server_ ? server_->client_of(packet) : 0; }

    /// The next time at which a delivery may be due.
    Time next();

    /// Count a popped delivery that was written at `now`, or that the device refused.
    void delivered(Time now, const Delivery& delivery);
    void lost_at_device(Time now, const Delivery& delivery);
    /// Count a packet that was read but cannot be handled.
    void lost_at_device(Time now, const Packet& packet);
    /// Count packets that the kernel dropped before they could be read.
    void lost_at_device(Time now, std::uint64_t packets);

    /// Note that no packets were moved for a time before `now`, though some may have been waiting.
    void stood_still(Time now, Time length);

    /// Process and count all events up to `now`.
    void advance(Time now);

    /// The time, at most `now`, up to which all packets that left the bottleneck have been delivered: the records are
    /// complete up to it.
    Time settled(Time now) const;

  private:
    struct Arrival {
        Time time;
        PacketRef packet;
    };
    /// The way of a client's packets from the server to the far device.
    struct Access {
        Impairments impairments;
        Time last_due = 0;    // of the deliveries that keep their order
        Time latest_due = 0;  // of all
    };
    void depart(const Departure& departure);
    Time slot_end(Time time) const;
    void befall(const Departure& departure, const Span& span, Access& access, std::uint32_t segment_of_packet);
    void line_up(Delivery delivery, bool in_order);
    Passage passage_of(const Delivery& delivery, Time delivered) const;

    const Schedule& schedule_;
    PathSettings settings_;
    Bins bins_;
    std::span<ClientRecord> client_records_;
    std::vector<Access> access_;  // by client
    Time epoch_ = kNever;
    std::unique_ptr<Server> server_;  // present from the epoch on
    std::deque<Arrival> before_;      // on the core link, on their way to the server
    std::deque<Delivery> behind_;     // on their way to the far device, by due time
};

}  // namespace mmwemu
