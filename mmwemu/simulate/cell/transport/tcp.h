// SPDX-License-Identifier: GPL-2.0-only
// Transport `tcp`: one connection of ns-3's TCP.

#pragma once

#include <ns3/socket.h>

#include "transport/internet.h"

namespace mmwemu {

/// A TCP connection from the remote host to the UE, and an application that writes at a constant rate, a whole segment
/// each time. While the send buffer is full the application waits; it does not make up for that time.
class TcpTransport : public InternetTransport {
  public:
    TcpTransport(const Config& config, const UeConfig& ue, std::unique_ptr<Middlebox> middlebox = nullptr);

    void record(Bin& bin) override;

  private:
    void start() override;
    void trace_sender();
    void write();
    void schedule_write();

    TcpConfig settings_;
    std::uint32_t segment_bytes_;
    std::uint64_t pacing_bps_;  // at most, of payload
    ns3::Time interval_;
    std::uint64_t unwritten_bytes_;
    ns3::Ptr<ns3::Socket> listener_, sender_;
    bool waiting_ = false;  // for room in the send buffer
    double cwnd_bytes_ = Bin::kNone, ssthresh_bytes_ = Bin::kNone, rtt_s_ = Bin::kNone;
    std::uint32_t retransmissions_ = 0;
};

}  // namespace mmwemu
