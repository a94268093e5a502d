// Segmentation offload on the way out: segments cut from or joined to one packet for one write.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/packet.h"

namespace mmwemu {

/// Segments for one write: a plain packet, or one TCP super-packet cut from a packet or joined from several.
///
/// Headers follow TCP segmentation offload for a cut, and generic receive offload for a join.
class Train {
  public:
    static constexpr std::size_t kMaxPieces = 64;

    /// Start with `count` segments of a packet from `first` on. Refers to the packet's data from here on.
    void set(const Packet& packet, std::uint32_t first, std::uint32_t count);

    /// Add segments that continue the same TCP stream; if they do not or do not fit, change nothing and return false.
    bool append(const Packet& packet, std::uint32_t first, std::uint32_t count);

    /// Complete header() and return the vnet header.
    const VnetHeader& finish();
    std::span<const std::byte> header() const { return {header_.data(), header_bytes_}; }
    std::span<const std::span<const std::byte>> pieces() const { return {pieces_.data(), n_piece_}; }

  private:
    bool continues(const Packet& packet, std::uint32_t first) const;

    VnetHeader vnet_;
    std::array<std::byte, 256> header_;
    std::size_t header_bytes_ = 0;  // 0: a plain packet, written unchanged
    std::array<std::span<const std::byte>, kMaxPieces> pieces_;
    std::size_t n_piece_ = 0;
    std::size_t payload_bytes_ = 0;
    std::uint32_t mss_ = 0;
    std::uint32_t segments_ = 0;
};

}  // namespace mmwemu
