// SPDX-License-Identifier: GPL-2.0-only
// RLC acknowledged mode: the sending side and the receiving side.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/rlc.h"
#include "core/sdu_queue.h"

namespace mmwemu {

/// The transmitting side of RLC acknowledged mode (TS 36.322, clause 5.1.3.1; window of TS 38.322).
///
/// SNs do not wrap, and retransmissions are not limited: a bearer is never given up.
class AmSender : public RlcSender {
  public:
    AmSender(const RlcTimers& timers, std::uint64_t buffer_bytes) : timers_(timers), fresh_(buffer_bytes) {}

    bool push(const Sdu& sdu) override;
    std::uint32_t wanted_bytes(Time now, std::uint32_t most) override;

    /// Retransmissions come first, then new data.
    std::vector<Pdu> fill(Time now, std::uint32_t block_bytes) override;
    void on_status(Time now, const Status& status) override;
    bool has_data(Time now) override;
    std::uint64_t queue_bytes() const override { return fresh_.bytes() + retransmit_bytes_; }

  private:
    struct Sent {
        std::shared_ptr<const Layout> layout;
        std::uint32_t total = 0;
        bool acked = false;
    };
    bool has_fresh() const;
    void expire(Time now);
    void retransmit(std::uint64_t sn, std::vector<Range> ranges);
    void forget_retransmission(std::uint64_t sn);
    Pdu next_again(std::uint32_t room);
    Pdu next_fresh(std::uint32_t room);
    void mark_poll(Time now, std::vector<Pdu>& pdus, std::uint32_t bytes);

    RlcTimers timers_;
    SduQueue fresh_;
    std::uint64_t retransmit_bytes_ = 0;
    std::uint64_t base_ = 0, next_sn_ = 0;  // window_[i] is SN base_ + i
    std::deque<Sent> window_;
    std::map<std::uint64_t, std::vector<Range>> again_;
    std::uint32_t pdus_since_poll_ = 0, bytes_since_poll_ = 0;
    bool force_poll_ = false;
    std::optional<Time> poll_deadline_;
    std::uint64_t poll_sn_ = 0;
};

/// The receiving side (TS 36.322, clauses 5.1.3.2 and 5.2.3); delivers SDUs in order.
class AmReceiver : public RlcReceiver {
  public:
    explicit AmReceiver(const RlcTimers& timers) : timers_(timers) {}

    void on_pdu(Time now, const Pdu& pdu, std::vector<Sdu>& delivered) override;
    void give_up(Time, std::vector<Sdu>&) override {}
    std::optional<Status> status(Time now) override;

  private:
    struct Received {
        std::vector<Range> ranges;  // sorted and apart
        std::uint32_t total = 0;
        bool whole = false;
        std::shared_ptr<const Layout> layout;
    };
    Received& at(std::uint64_t sn) { return window_[static_cast<std::size_t>(sn - expected_)]; }
    bool whole(std::uint64_t sn) { return sn < expected_ || at(sn).whole; }
    std::uint64_t first_gap(std::uint64_t from);
    void deliver(std::vector<Sdu>& delivered);
    void start_or_stop_reordering(Time now);
    Status report();

    RlcTimers timers_;
    std::uint64_t expected_ = 0;    // VR(R)
    std::uint64_t highest_ = 0;     // VR(H), one after the highest SN seen
    std::uint64_t status_sn_ = 0;   // VR(MS)
    std::uint64_t reorder_sn_ = 0;  // VR(X)
    std::deque<Received> window_;   // window_[i] is SN expected_ + i
    std::optional<Time> reordering_deadline_;
    std::optional<std::uint64_t> polled_sn_;
    bool status_triggered_ = false;
    Time prohibited_until_ = 0;
};

}  // namespace mmwemu
