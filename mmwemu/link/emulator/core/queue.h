#pragma once

#include <cstdint>
#include <memory>

#include "core/bins.h"
#include "core/packet.h"
#include "core/time.h"

namespace mmwemu {

enum class Aqm { drop_tail, drop_head, codel, fq_codel, pie };

/// Whether clients share one queue, or each has its own: told by what its packets come from, or go to.
enum class Clients { together, by_source, by_destination };

/// Segments of one packet that came to a queue together.
struct Item {
    PacketRef packet;
    std::uint32_t first = 0;  ///< of the segments that are still here
    std::uint32_t end = 0;
    std::uint64_t number = 0;  ///< of the packet's first segment, counted from 1 as they came to the bottleneck
    Time arrival = 0;

    std::uint32_t count() const { return end - first; }
    std::uint32_t bytes() const { return packet->ip_bytes(first, end - first); }
};

/// How much a queue and the segment in service may be; 0 is no limit.
struct Limit {
    std::uint64_t bytes = 0;
    std::uint64_t packets = 0;
};

struct QueueSettings {
    Aqm aqm = Aqm::drop_tail;
    Limit limit;
    bool ecn = false;  ///< an AQM marks packets of transports that understand it instead of dropping them
    std::uint64_t seed = 0;
    Clients clients = Clients::together;
};

/// What waits before the server: who may come in, who is next, who is dropped or marked. Times must not fall.
class Queue {
  public:
    /// `bins` may be null.
    Queue(const QueueSettings& settings, Bins* bins, Time epoch) : settings_(settings), bins_(bins), epoch_(epoch) {}
    virtual ~Queue() = default;

    /// Segments arrive; some or all may be dropped.
    virtual void push(Time now, Item item) = 0;
    /// Hand the next segment to the server, or all that came with it; false if none is left.
    virtual bool pop(Time now, bool whole, Item& item) = 0;
    virtual bool empty() const = 0;

    /// Segments go straight to the server, which is free and takes no time.
    virtual void pass(const Item& item) { hold(item); }
    /// A segment that pop() gave has left the server.
    virtual void left(std::uint64_t bytes, std::uint64_t packets) {
        held_.bytes -= bytes;
        held_.packets -= packets;
    }
    /// What is here, in service or not.
    const Count& held() const { return held_; }

  protected:
    /// How many segments of `item` from its first on the limit lets in.
    std::uint32_t fitting(const Item& item) const;
    bool over_limit() const;
    void hold(const Item& item) { held_ = {held_.bytes + item.bytes(), held_.packets + item.count()}; }
    /// Write down the drop of an item that was not held.
    void refuse(Time now, Drop cause, const Item& item);
    /// Write down the drop of an item that was.
    void drop(Time now, Drop cause, const Item& item) {
        left(item.bytes(), item.count());
        refuse(now, cause, item);
    }
    /// Mark a single segment that may be marked; false where it must be dropped.
    bool mark(Time now, Item& item);
    /// Mark a single segment that is held, or drop it and give false.
    bool mark_or_drop(Time now, Item& item);

    QueueSettings settings_;
    Bins* bins_;
    Time epoch_;
    Count held_{};
};

/// Cut the first segment off, or take all.
Item take_from(Item& item, bool whole);

std::unique_ptr<Queue> make_queue(const QueueSettings& settings, Bins* bins, Time epoch);

}  // namespace mmwemu
