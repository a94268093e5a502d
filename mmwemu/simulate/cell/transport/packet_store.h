// SPDX-License-Identifier: GPL-2.0-only
// The ns-3 packets of one direction that are on their way through RLC.

#pragma once

#include <ns3/packet.h>

#include <cstdint>
#include <deque>

namespace mmwemu {

/// Keeps the packets that an RLC buffer has taken, in their order, until they come out.
class PacketStore {
  public:
    /// The id of the next packet that the buffer takes.
    std::uint64_t next_id() const { return first_id_ + packets_.size(); }

    void add(ns3::Ptr<ns3::Packet> packet) { packets_.push_back(packet); }

    /// Take the packet out; those before it are lost and forgotten.
    ns3::Ptr<ns3::Packet> take(std::uint64_t id) {
        packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(id - first_id_));
        const ns3::Ptr<ns3::Packet> packet = packets_.front();
        packets_.pop_front();
        first_id_ = id + 1;
        return packet;
    }

  private:
    std::deque<ns3::Ptr<ns3::Packet>> packets_;
    std::uint64_t first_id_ = 0;
};

}  // namespace mmwemu
