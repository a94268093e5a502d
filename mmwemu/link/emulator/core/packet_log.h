// The log of single packets: a record with times and ending for each.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/packet.h"
#include "core/time.h"

namespace mmwemu {

/// How a packet ended.
enum class Ending : std::uint8_t { delivered, copied, damaged, queue, aqm, loss, outage, device };

/// Consecutive segments of one packet and their times since the epoch; kNever for an event that never happened.
struct Passage {
    const Packet& packet;
    std::uint32_t first;
    std::uint32_t count;
    std::uint64_t number;  ///< of the first segment by arrival at the bottleneck; 0 if it never arrived
    Time arrival;          ///< at the bottleneck
    Time departure = kNever;
    Time due = kNever;  ///< at the far device
    Time delivered = kNever;
};

/// The log record of one packet; the reader in Python knows this layout.
struct PacketRecord {
    std::uint64_t number;
    std::int64_t arrival_ns, departure_ns, due_ns, delivered_ns;
    std::uint32_t size_bytes;
    std::uint8_t direction;
    Ending ending;
    std::uint8_t marked;  ///< 1: the packet has an ECN mark
    std::uint8_t header_bytes;
};
static_assert(sizeof(PacketRecord) == 48);

/// Logs each packet when it ends, super-packets as the segments they stand for.
class PacketLog {
  public:
    static constexpr std::size_t kHeaderBytes = 80;  ///< room for the start of each packet, after its record
    static constexpr std::size_t kChunkBytes = 1 << 16;
    using Chunk = std::vector<std::byte>;

    /// With `headers`, the start of each packet is kept too. `write` gets records by the chunk.
    PacketLog(bool headers, std::function<void(const Chunk&)> write) : headers_(headers), write_(std::move(write)) {}

    void add(std::size_t direction, const Passage& passage, Ending ending);
    /// Hand over all records so far.
    void flush();
    std::size_t record_bytes() const { return sizeof(PacketRecord) + (headers_ ? kHeaderBytes : 0); }

  private:
    bool headers_;
    std::function<void(const Chunk&)> write_;
    Chunk chunk_;
};

}  // namespace mmwemu
