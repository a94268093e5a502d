#include "core/packet_log.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/alter.h"
#include "core/train.h"

namespace mmwemu {

namespace {

/// Copy the start of one segment as on the wire, except for the transport checksum; returns the number of bytes.
std::uint8_t copy_header(const Packet& packet, std::uint32_t segment, std::byte* to) {
    Train train;
    train.set(packet, segment, 1);
    train.finish();
    std::size_t done = std::min(train.header().size(), PacketLog::kHeaderBytes);
    std::memcpy(to, train.header().data(), done);
    const auto rest = train.pieces()[0];
    const std::size_t more = std::min(rest.size(), PacketLog::kHeaderBytes - done);
    std::memcpy(to + done, rest.data(), more);
    return static_cast<std::uint8_t>(done + more);
}

}  // namespace

void PacketLog::add(std::size_t direction, const Passage& passage, Ending ending) {
    PacketRecord record{};
    record.arrival_ns = passage.arrival;
    record.departure_ns = passage.departure;
    record.due_ns = passage.due;
    record.delivered_ns = passage.delivered;
    record.direction = static_cast<std::uint8_t>(direction);
    record.ending = ending;
    record.marked = congestion_experienced(passage.packet) ? 1 : 0;
    for (std::uint32_t i = 0; i < passage.count; ++i) {
        record.number = passage.number == 0 ? 0 : passage.number + i;
        record.size_bytes = passage.packet.ip_bytes(passage.first + i, 1);
        const std::size_t at = chunk_.size();
        chunk_.resize(at + record_bytes());
        if (headers_) {
            record.header_bytes = copy_header(passage.packet, passage.first + i, &chunk_[at + sizeof record]);
        }
        std::memcpy(&chunk_[at], &record, sizeof record);
        if (chunk_.size() + record_bytes() > kChunkBytes) flush();
    }
}

void PacketLog::flush() {
    if (!chunk_.empty()) write_(chunk_);
    chunk_.clear();
}

}  // namespace mmwemu
