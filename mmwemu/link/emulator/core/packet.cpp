#include "core/packet.h"

#include <algorithm>
#include <memory>

namespace mmwemu {

namespace {
constexpr std::size_t kKept = 1024;  // free buffers of each size that are kept
}

std::uint32_t Packet::payload_bytes(std::uint32_t first, std::uint32_t count) const {
    if (header_bytes == 0) return 0;
    const std::uint32_t payload = length - header_bytes;
    return std::min(payload, (first + count) * mss) - std::min(payload, first * mss);
}

std::uint32_t Packet::ip_bytes(std::uint32_t first, std::uint32_t count) const {
    return header_bytes == 0 ? length : payload_bytes(first, count) + count * header_bytes;
}

PacketRef::~PacketRef() {
    if (packet_ != nullptr && --packet_->references_ == 0) packet_->pool_->give_back(packet_);
}

PacketRef PacketRef::sibling(std::size_t bytes) const {
    return packet_->pool_->take(bytes);
}

PacketPool::~PacketPool() {
    for (Packet* packet : small_) delete packet;
    for (Packet* packet : large_) delete packet;
}

PacketRef PacketPool::take(std::size_t bytes) {
    auto& free = bytes <= kSmallBytes ? small_ : large_;
    taken_bytes_ += bytes <= kSmallBytes ? kSmallBytes : kLargeBytes;
    if (free.empty()) {
        auto packet = std::make_unique<Packet>();
        packet->data_.resize(bytes <= kSmallBytes ? kSmallBytes : kLargeBytes);
        packet->pool_ = this;
        return PacketRef(packet.release());
    }
    Packet* packet = free.back();
    free.pop_back();
    packet->vnet = {};
    packet->length = 0;
    packet->segments = 1;
    packet->header_bytes = 0;
    packet->mss = 0;
    return PacketRef(packet);
}

void PacketPool::give_back(Packet* packet) {
    taken_bytes_ -= packet->capacity();
    auto& free = packet->capacity() == kSmallBytes ? small_ : large_;
    if (free.size() < kKept) {
        free.push_back(packet);
    } else {
        delete packet;
    }
}

}  // namespace mmwemu
