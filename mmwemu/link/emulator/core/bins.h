// Telemetry: counts of packets and bytes in bins of 10 ms.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/packet_log.h"
#include "core/time.h"

namespace mmwemu {

/// Why a packet was dropped.
enum class Drop { queue, aqm, loss, outage, device };
inline constexpr std::size_t kDropCauses = 5;

/// An event of a packet beside delivery and drop.
enum class Note {
    duplicated,  ///< a second copy was delivered; not counted as delivered
    damaged,     ///< delivered with bit errors; not counted as delivered
    reordered,   ///< delivered ahead of an earlier packet
    marked,      ///< got an ECN mark (RFC 3168)
};
inline constexpr std::size_t kNotes = 4;

struct Count {
    std::uint64_t bytes;
    std::uint64_t packets;
};

/// One bin of one direction; the reader in Python knows this layout.
struct Record {
    Count offered;                  ///< arrived at the bottleneck
    Count delivered;                ///< written to the device; counted at departure from the bottleneck plus lateness
    Count dropped[kDropCauses];     ///< by Drop
    Count noted[kNotes];            ///< by Note
    std::uint64_t queue_bytes;      ///< at the end of the bin
    std::uint64_t queue_max_bytes;  ///< the maximum in the bin
    std::int64_t lateness_max_ns;   ///< of delivered packets; and the longest stall of the link
    std::uint64_t backlogged;       ///< 1: the queue was never empty in this bin
};
static_assert(sizeof(Record) == 208);

/// The telemetry of one direction in bins and, if a log is given, packet by packet; all times count from the epoch.
class Bins {
  public:
    static constexpr Time kWidth = 10'000'000;

    /// `records` holds both directions in turns; `direction` is 0 or 1. Events after the last record are not kept.
    /// `log` may be null.
    Bins(std::span<Record> records, std::size_t direction, PacketLog* log = nullptr)
        : records_(records), direction_(direction), log_(log) {}

    void offered(Time time, std::uint64_t bytes, std::uint64_t packets);
    void delivered(Time time, std::uint64_t bytes, std::uint64_t packets, Time lateness);
    void dropped(Time time, Drop cause, std::uint64_t bytes, std::uint64_t packets);
    void stood_still(Time time, Time length);
    void noted(Time time, Note what, std::uint64_t bytes, std::uint64_t packets);
    /// Note that the queue holds `bytes` from `time` on; times must not fall.
    void queue(Time time, std::uint64_t bytes);

    std::size_t direction() const { return direction_; }

    /// Whether packets are logged one by one. The log does not count; the other methods do.
    bool logs() const { return log_ != nullptr; }
    void log(const Passage& passage, Ending ending) {
        if (log_ != nullptr) log_->add(direction_, passage, ending);
    }
    /// Count and log a drop.
    void dropped(Time time, Drop cause, const Passage& passage);

  private:
    Record& at(std::size_t bin);
    static std::size_t bin_of(Time time) { return time < 0 ? 0 : static_cast<std::size_t>(time / kWidth); }

    std::span<Record> records_;
    std::size_t direction_;
    PacketLog* log_;
    Record beyond_{};
    std::size_t bin_ = 0;  // of the last call of queue()
    std::uint64_t queue_bytes_ = 0;
    Time busy_since_ = 0;
};

}  // namespace mmwemu
