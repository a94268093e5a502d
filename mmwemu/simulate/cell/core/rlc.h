// SPDX-License-Identifier: GPL-2.0-only
// RLC: PDUs, and what the two sides of an entity do in every mode.

#pragma once

#include <cstdint>
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

/// The transmitting side of an RLC entity.
class RlcSender {
  public:
    virtual ~RlcSender() = default;

    /// Queue an SDU, which is numbered anew; if the buffer has no room, drop it and return false.
    virtual bool push(const Sdu& sdu) = 0;

    /// Size of a block that would carry everything there is, but at most `most`; 0 if there is nothing.
    virtual std::uint32_t wanted_bytes(Time now, std::uint32_t most) = 0;

    /// PDUs for a transport block of `block_bytes`.
    virtual std::vector<Pdu> fill(Time now, std::uint32_t block_bytes) = 0;

    virtual void on_status(Time now, const Status& status) = 0;

    /// Whether a block would carry anything; `now` may let a timer expire.
    virtual bool has_data(Time now) = 0;

    /// Bytes not sent yet, and bytes to be sent again.
    virtual std::uint64_t queue_bytes() const = 0;
};

/// The receiving side; delivers SDUs in order.
class RlcReceiver {
  public:
    virtual ~RlcReceiver() = default;

    /// Take a PDU that arrived at `now`; SDUs that are now whole and in order are appended to `delivered`.
    virtual void on_pdu(Time now, const Pdu& pdu, std::vector<Sdu>& delivered) = 0;

    /// Append to `delivered` the SDUs behind a gap that has been waited for until `now`.
    virtual void give_up(Time now, std::vector<Sdu>& delivered) = 0;

    /// The status PDU to send at `now`, if one is due.
    virtual std::optional<Status> status(Time now) = 0;
};

std::unique_ptr<RlcSender> make_rlc_sender(RlcMode mode, const RlcTimers& timers, std::uint64_t buffer_bytes);
std::unique_ptr<RlcReceiver> make_rlc_receiver(RlcMode mode, const RlcTimers& timers);

}  // namespace mmwemu
