// Packets as a TUN device hands them over, counted references to them, and the pool of their buffers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mmwemu {

class PacketPool;

/// The header before each packet on a TUN device with IFF_VNET_HDR (struct virtio_net_hdr, native byte order).
struct VnetHeader {
    static constexpr std::uint8_t kNeedsChecksum = 1;
    static constexpr std::uint8_t kGsoNone = 0, kGsoTcp4 = 1, kGsoTcp6 = 4, kGsoEcn = 0x80;
    std::uint8_t flags = 0;
    std::uint8_t gso_type = kGsoNone;
    std::uint16_t header_bytes = 0;
    std::uint16_t gso_bytes = 0;
    std::uint16_t checksum_start = 0;
    std::uint16_t checksum_offset = 0;
};
static_assert(sizeof(VnetHeader) == 10);

/// One packet as a device handed it over: a plain IP packet, or a TCP super-packet of many segments.
class Packet {
  public:
    VnetHeader vnet;
    std::uint32_t length = 0;        ///< bytes of the IP packet as read
    std::uint32_t segments = 1;      ///< the number of IP packets it stands for
    std::uint32_t header_bytes = 0;  ///< IP and TCP header, repeated in each segment; 0 for a plain packet
    std::uint32_t mss = 0;           ///< payload bytes of each segment but the last

    std::byte* data() { return data_.data(); }
    const std::byte* data() const { return data_.data(); }
    std::size_t capacity() const { return data_.size(); }

    /// Payload bytes before segment `first`.
    std::uint32_t payload_offset(std::uint32_t first) const { return first * mss; }
    /// Payload bytes of `count` segments from `first` on; 0 for a plain packet.
    std::uint32_t payload_bytes(std::uint32_t first, std::uint32_t count) const;
    /// Bytes of `count` segments from `first` on as IP packets, each with its own header.
    std::uint32_t ip_bytes(std::uint32_t first, std::uint32_t count) const;

  private:
    friend class PacketPool;
    friend class PacketRef;
    std::vector<std::byte> data_;
    PacketPool* pool_ = nullptr;
    std::uint32_t references_ = 0;
};

/// A counted reference to a packet; the last one returns the packet to its pool. For one thread only.
class PacketRef {
  public:
    PacketRef() = default;
    PacketRef(const PacketRef& other) : packet_(other.packet_) {
        if (packet_ != nullptr) ++packet_->references_;
    }
    PacketRef(PacketRef&& other) noexcept : packet_(std::exchange(other.packet_, nullptr)) {}
    PacketRef& operator=(PacketRef other) noexcept {
        std::swap(packet_, other.packet_);
        return *this;
    }
    ~PacketRef();

    /// Take a packet with all fields at their defaults from the same pool.
    PacketRef sibling(std::size_t bytes) const;

    /// Whether there are other references to the packet.
    bool is_shared() const { return packet_->references_ > 1; }

    Packet* operator->() const { return packet_; }
    Packet& operator*() const { return *packet_; }
    bool operator==(const PacketRef& other) const = default;
    explicit operator bool() const { return packet_ != nullptr; }

  private:
    friend class PacketPool;
    explicit PacketRef(Packet* packet) : packet_(packet) { ++packet_->references_; }
    Packet* packet_ = nullptr;
};

/// Keeps packet buffers of two sizes for reuse; must outlive all its packets.
class PacketPool {
  public:
    static constexpr std::size_t kSmallBytes = 2048;
    static constexpr std::size_t kLargeBytes = 65536 + 256;

    PacketPool() = default;
    PacketPool(const PacketPool&) = delete;
    PacketPool& operator=(const PacketPool&) = delete;
    ~PacketPool();

    /// Take a packet with all fields at their defaults and room for `bytes` (up to kLargeBytes).
    PacketRef take(std::size_t bytes);
    /// Bytes of all buffers that are in use.
    std::size_t taken_bytes() const { return taken_bytes_; }

  private:
    friend class PacketRef;
    void give_back(Packet* packet);
    std::vector<Packet*> small_, large_;
    std::size_t taken_bytes_ = 0;
};

}  // namespace mmwemu
