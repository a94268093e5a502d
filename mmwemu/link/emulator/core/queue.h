// The interface of all queues, their settings and the items they hold.

#pragma once

#include <cstdint>
#include <memory>

#include "core/bins.h"
#include "core/packet.h"
#include "core/time.h"

namespace mmwemu {

enum class Aqm { drop_tail, drop_head, codel, fq_codel, pie };

/// Segments of one packet that arrived at a queue together.
struct Item {
    PacketRef packet;
    std::uint32_t first = 0;  ///< of the segments that are still queued
    std::uint32_t end = 0;
    std::uint64_t number = 0;  ///< of the packet's first segment, counted from 1 by arrival at the bottleneck
    Time arrival = 0;

    std::uint32_t count() const { return end - first; }
    std::uint32_t bytes() const { return packet->ip_bytes(first, end - first); }
};

/// The limit of a queue with the segment in service; 0 is no limit.
struct Limit {
    std::uint64_t bytes = 0;
    std::uint64_t packets = 0;
};

struct QueueSettings {
    Aqm aqm = Aqm::drop_tail;
    Limit limit;
    bool ecn = false;  ///< the AQM marks packets instead of dropping them if their transport supports ECN
    std::uint64_t seed = 0;
};

/// The queue before the server: decides which packets are admitted, dropped, marked or served. Times must not fall.
class Queue {
  public:
    /// `bins` may be null.
    Queue(const QueueSettings& settings, Bins* bins, Time epoch) : settings_(settings), bins_(bins), epoch_(epoch) {}
    virtual ~Queue() = default;

    /// Queue arriving segments; some or all may be dropped.
    virtual void push(Time now, Item item) = 0;
    /// Hand the next segment to the server, or all that came with it; false if none is left.
    virtual bool pop(Time now, bool whole, Item& item) = 0;
    virtual bool empty() const = 0;

    /// Note segments that go straight to the server, which is free and takes no time.
    virtual void pass(const Item& item) { hold(item); }
    /// Note that segments taken by pop() have left the server.
    virtual void left(std::uint64_t bytes, std::uint64_t packets) {
        held_.bytes -= bytes;
        held_.packets -= packets;
    }
    /// Bytes and packets queued or in service.
    const Count& held() const { return held_; }

  protected:
    /// The number of segments of `item`, from its first on, that the limit admits.
    std::uint32_t fitting(const Item& item) const;
    bool over_limit() const;
    void hold(const Item& item) { held_ = {held_.bytes + item.bytes(), held_.packets + item.count()}; }
    /// Count and log the drop of an item that was not held.
    void refuse(Time now, Drop cause, const Item& item);
    /// Count and log the drop of an item that was held.
    void drop(Time now, Drop cause, const Item& item) {
        left(item.bytes(), item.count());
        refuse(now, cause, item);
    }
    /// Mark a single segment; false if its transport does not support ECN.
    bool mark(Time now, Item& item);
    /// Mark a single segment that is held, or drop it and return false.
    bool mark_or_drop(Time now, Item& item);

    QueueSettings settings_;
    Bins* bins_;
    Time epoch_;
    Count held_{};
};

/// Cut the first segment off an item, or take all of them.
Item take_from(Item& item, bool whole);

std::unique_ptr<Queue> make_queue(const QueueSettings& settings, Bins* bins, Time epoch);

}  // namespace mmwemu
