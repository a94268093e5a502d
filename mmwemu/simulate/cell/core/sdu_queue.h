// SPDX-License-Identifier: GPL-2.0-only
// The buffer of an RLC sender.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "core/rlc.h"

namespace mmwemu {

/// SDUs that are not sent yet, the first perhaps in part, in a buffer of limited size.
class SduQueue {
  public:
    /// Of the length field that each SDU has in a PDU.
    static constexpr std::uint32_t kLengthBytes = 2;

    explicit SduQueue(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

    /// Queue an SDU, numbered anew; false if there is no room.
    bool push(const Sdu& sdu);

    /// Take up to `room` bytes, each SDU with its length field; returns them and how many bytes they are without it.
    std::pair<std::shared_ptr<const Layout>, std::uint32_t> take(std::uint32_t room);

    bool empty() const { return sdus_.empty(); }
    std::uint64_t bytes() const { return bytes_; }

    /// Size of all there is, with the length fields.
    std::uint64_t wanted_bytes() const { return kLengthBytes * sdus_.size() + bytes_; }

  private:
    std::uint64_t most_bytes_;
    std::deque<Sdu> sdus_;
    std::uint32_t first_sent_ = 0;  // bytes of sdus_.front() that are sent
    std::uint64_t bytes_ = 0, taken_ = 0;
};

}  // namespace mmwemu
