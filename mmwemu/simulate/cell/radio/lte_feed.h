// SPDX-License-Identifier: GPL-2.0-only
// The source and the large RLC buffer in front of LENA.

#pragma once

#include <ns3/socket.h>

#include <deque>

#include "core/recorder.h"
#include "core/source.h"

namespace mmwemu {

/// The constant-rate source and the eNB's buffer before LENA's own; only packets that get through cost time.
///
/// A source far above the LTE peak keeps the RLC buffer full and loses the rest there. To simulate each lost packet,
/// and a buffer of many megabytes inside LENA, costs much and changes nothing: two first-in-first-out queues in a row
/// act as one. So LENA's holds a few milliseconds and the rest of rlc_buffer_bytes is here, with drop-tail on the sum.
class LteFeed {
  public:
    LteFeed(const CbrSource& source, std::uint64_t buffer_bytes, Recorder& recorder)
        : source_(source), buffer_bytes_(buffer_bytes), recorder_(recorder) {}

    /// Let packets arrive up to `now`, and hand on as many as LENA's buffer should hold.
    void tick(Time now, ns3::Socket& socket);

    /// Note that the packet with this number reached the UE.
    void received(Time now, std::uint64_t id);

    std::uint64_t queue_bytes() const { return waiting_bytes_ + inside_bytes_; }

  private:
    void send(const Sdu& packet, ns3::Socket& socket);
    void give_up_if_silent(Time now);
    void lose_front(Time now);

    CbrSource source_;
    std::uint64_t buffer_bytes_;
    Recorder& recorder_;
    std::deque<Sdu> waiting_, inside_;  // before LENA, in LENA
    std::uint64_t waiting_bytes_ = 0, inside_bytes_ = 0;
    Time last_received_ = 0;
};

/// The number that LteFeed wrote into a packet.
std::uint64_t packet_id(const ns3::Packet& packet);

}  // namespace mmwemu
