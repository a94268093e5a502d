#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/packet_log.h"
#include "core/time.h"

namespace mmwemu {

/// Why a packet did not come through.
enum class Drop { queue, aqm, loss, outage, device };
inline constexpr std::size_t kDropCauses = 5;

/// What else happened to a packet.
enum class Note {
    duplicated,  ///< a second copy was written, which is not counted as delivered
    damaged,     ///< came with wrong bits, which is not counted as delivered either
    reordered,   ///< came ahead of an earlier one
    marked,      ///< congestion experienced (RFC 3168)
};
inline constexpr std::size_t kNotes = 4;

struct Count {
    std::uint64_t bytes;
    std::uint64_t packets;
};

/// What happened in one bin of time in one direction; the reader in Python knows this layout.
struct Record {
    Count offered;    ///< came to the bottleneck
    Count delivered;  ///< written to the device, counted when it left the bottleneck or as much later as it was late
    Count dropped[kDropCauses];     ///< by Drop
    Count noted[kNotes];            ///< by Note
    std::uint64_t queue_bytes;      ///< at the end of the bin
    std::uint64_t queue_max_bytes;  ///< highest in the bin
    std::int64_t lateness_max_ns;   ///< of what was delivered, and how long the link stood still
    std::uint64_t backlogged;       ///< 1: the queue was never empty in this bin
};
static_assert(sizeof(Record) == 208);

/// The records of one direction, bin after bin and, where that is asked for, packet by packet; all times count from the
/// epoch.
class Bins {
  public:
    static constexpr Time kWidth = 10'000'000;

    /// `records` holds both directions in turns; `direction` is 0 or 1. What comes after the last record is not kept.
    /// `log` may be null.
    Bins(std::span<Record> records, std::size_t direction, PacketLog* log = nullptr)
        : records_(records), direction_(direction), log_(log) {}

    void offered(Time time, std::uint64_t bytes, std::uint64_t packets);
    void delivered(Time time, std::uint64_t bytes, std::uint64_t packets, Time lateness);
    void dropped(Time time, Drop cause, std::uint64_t bytes, std::uint64_t packets);
    void stood_still(Time time, Time length);
    void noted(Time time, Note what, std::uint64_t bytes, std::uint64_t packets);
    /// From `time` on the queue holds `bytes`; times must not fall.
    void queue(Time time, std::uint64_t bytes);

    /// Whether packets are written down one by one; what happened to them is counted by the other methods.
    bool logs() const { return log_ != nullptr; }
    void log(const Passage& passage, Ending ending) {
        if (log_ != nullptr) log_->add(direction_, passage, ending);
    }
    /// Count and write down a drop.
    void dropped(Time time, Drop cause, const Passage& passage);

  private:
    Record& at(std::size_t bin);
    static std::size_t bin_of(Time time) { return time < 0 ? 0 : static_cast<std::size_t>(time / kWidth); }

    std::span<Record> records_;
    std::size_t direction_;
    PacketLog* log_;
    Record beyond_{};
    std::size_t bin_ = 0;  // of the latest queue()
    std::uint64_t queue_bytes_ = 0;
    Time busy_since_ = 0;
};

}  // namespace mmwemu
