// SPDX-License-Identifier: GPL-2.0-only
// RLC acknowledged mode: PDUs, the sending side and the receiving side.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/config.h"
#include "core/sdu.h"
#include "core/time.h"

namespace mmwemu {

/// Bytes [begin, end), of an SDU or of a PDU.
struct Range {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t size() const { return end - begin; }
};

struct Fragment {
    Sdu sdu;
    Range bytes;
};

/// The parts of SDUs in the data field of a PDU, in order.
using Layout = std::vector<Fragment>;

/// An AMD PDU or, after re-segmentation, a part of one. It refers to its SDUs instead of carrying bytes.
struct Pdu {
    std::uint64_t sn = 0;
    Range bytes;              // of the data field
    std::uint32_t total = 0;  // size of the whole data field
    bool poll = false;
    std::shared_ptr<const Layout> layout;
};

struct Nack {
    std::uint64_t sn = 0;
    std::vector<Range> missing;  // empty: the whole PDU
};

/// A status PDU: everything before `ack_sn` has arrived, but for `nacks`.
struct Status {
    std::uint64_t ack_sn = 0;
    std::vector<Nack> nacks;  // by rising SN
};

/// Size of a status PDU with 18-bit SNs (TS 38.322, clause 6.2.2.5).
std::uint32_t size_bytes(const Status& status);

/// The front part of a status that fits into `bytes`: what it no longer reports, it does not acknowledge either.
Status fit(Status status, std::uint32_t bytes);

/// The transmitting side of RLC acknowledged mode (TS 36.322, clause 5.1.3.1; window of TS 38.322).
///
/// SNs do not wrap, and retransmissions are not limited: a bearer is never given up.
class RlcSender {
  public:
    RlcSender(const RlcTimers& timers, std::uint64_t buffer_bytes) : timers_(timers), buffer_bytes_(buffer_bytes) {}

    /// Queue an SDU; if the buffer has no room, drop it and return false.
    bool push(const Sdu& sdu);

    /// Size of a block that would carry everything there is, but at most `most`; 0 if there is nothing.
    std::uint32_t wanted_bytes(Time now, std::uint32_t most);

    /// PDUs for a transport block of `block_bytes`: retransmissions first, then new data.
    std::vector<Pdu> fill(Time now, std::uint32_t block_bytes);

    void on_status(Time now, const Status& status);

    /// Whether a block would carry anything; `now` may let t-PollRetransmit expire.
    bool has_data(Time now);

    /// Bytes not sent yet, and bytes to be sent again.
    std::uint64_t queue_bytes() const { return fresh_bytes_ + retransmit_bytes_; }

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
    std::uint64_t buffer_bytes_;
    std::deque<Sdu> fresh_;
    std::uint32_t first_sent_ = 0;  // bytes of fresh_.front() that are sent
    std::uint64_t fresh_bytes_ = 0, retransmit_bytes_ = 0;
    std::uint64_t base_ = 0, next_sn_ = 0;  // window_[i] is SN base_ + i
    std::deque<Sent> window_;
    std::map<std::uint64_t, std::vector<Range>> again_;
    std::uint32_t pdus_since_poll_ = 0, bytes_since_poll_ = 0;
    bool force_poll_ = false;
    std::optional<Time> poll_deadline_;
    std::uint64_t poll_sn_ = 0;
};

/// The receiving side (TS 36.322, clauses 5.1.3.2 and 5.2.3); delivers SDUs in order.
class RlcReceiver {
  public:
    explicit RlcReceiver(const RlcTimers& timers) : timers_(timers) {}

    /// Take a PDU that arrived at `now`; SDUs that are now whole and in order are appended to `delivered`.
    void on_pdu(Time now, const Pdu& pdu, std::vector<Sdu>& delivered);

    /// The status PDU to send at `now`, if one is due.
    std::optional<Status> status(Time now);

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
