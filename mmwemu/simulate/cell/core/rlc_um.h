// SPDX-License-Identifier: GPL-2.0-only
// RLC unacknowledged mode: nothing is sent again.

#pragma once

#include <map>
#include <optional>

#include "core/rlc.h"
#include "core/sdu_queue.h"

namespace mmwemu {

/// The transmitting side of RLC unacknowledged mode (TS 36.322, clause 5.1.2.1): segments and joins SDUs to fill PDUs.
class UmSender : public RlcSender {
  public:
    explicit UmSender(std::uint64_t buffer_bytes) : waiting_(buffer_bytes) {}

    bool push(const Sdu& sdu) override { return waiting_.push(sdu); }
    std::uint32_t wanted_bytes(Time now, std::uint32_t most) override;
    std::vector<Pdu> fill(Time now, std::uint32_t block_bytes) override;
    void on_status(Time, const Status&) override {}
    bool has_data(Time) override { return !waiting_.empty(); }
    std::uint64_t queue_bytes() const override { return waiting_.bytes(); }

  private:
    SduQueue waiting_;
    std::uint64_t next_sn_ = 0;
};

/// The receiving side (TS 36.322, clause 5.1.2.2): waits for a missing PDU until t-Reordering expires, and then
/// delivers without the SDUs that had bytes in it.
class UmReceiver : public RlcReceiver {
  public:
    explicit UmReceiver(const RlcTimers& timers) : reordering_(timers.reordering) {}

    void on_pdu(Time now, const Pdu& pdu, std::vector<Sdu>& delivered) override;
    void give_up(Time now, std::vector<Sdu>& delivered) override;
    std::optional<Status> status(Time) override { return std::nullopt; }

  private:
    void deliver_until_gap(std::vector<Sdu>& delivered);
    void take(const Layout& layout, std::vector<Sdu>& delivered);
    void start_or_stop_timer(Time now);

    Time reordering_;
    std::uint64_t expected_ = 0;  // VR(UR)
    std::map<std::uint64_t, std::shared_ptr<const Layout>> received_;
    std::optional<Time> deadline_;
    std::uint64_t awaited_sn_ = 0;  // VR(UX)
    std::uint64_t partial_id_ = 0;  // the SDU of which partial_bytes_ have arrived without a gap
    std::uint32_t partial_bytes_ = 0;
};

}  // namespace mmwemu
