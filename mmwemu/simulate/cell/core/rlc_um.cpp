// SPDX-License-Identifier: GPL-2.0-only
#include "core/rlc_um.h"

#include <algorithm>

namespace mmwemu {

namespace {

// A header with an 18-bit SN, as in acknowledged mode.
constexpr std::uint32_t kPduHeaderBytes = 3, kSmallestPieceBytes = 8;
constexpr std::uint32_t kSmallestBlockBytes = kPduHeaderBytes + SduQueue::kLengthBytes + kSmallestPieceBytes;

}  // namespace

std::uint32_t UmSender::wanted_bytes(Time, std::uint32_t most) {
    if (waiting_.empty()) return 0;
    const std::uint64_t wanted = kPduHeaderBytes + waiting_.wanted_bytes();
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::max<std::uint64_t>(wanted, kSmallestBlockBytes), most));
}

std::vector<Pdu> UmSender::fill(Time, std::uint32_t block_bytes) {
    if (waiting_.empty() || block_bytes < kSmallestBlockBytes) return {};
    const auto [layout, bytes] = waiting_.take(block_bytes - kPduHeaderBytes);
    return {{next_sn_++, {0, bytes}, bytes, false, layout}};
}

void UmReceiver::on_pdu(Time now, const Pdu& pdu, std::vector<Sdu>& delivered) {
    if (pdu.sn < expected_) return;
    received_.emplace(pdu.sn, pdu.layout);
    deliver_until_gap(delivered);
    start_or_stop_timer(now);
}

void UmReceiver::give_up(Time now, std::vector<Sdu>& delivered) {
    if (!deadline_ || now < *deadline_) return;
    while (!received_.empty() && received_.begin()->first < awaited_sn_) {
        expected_ = received_.begin()->first;
        deliver_until_gap(delivered);
    }
    expected_ = std::max(expected_, awaited_sn_);
    deliver_until_gap(delivered);
    deadline_.reset();
    start_or_stop_timer(now);
}

void UmReceiver::deliver_until_gap(std::vector<Sdu>& delivered) {
    while (!received_.empty() && received_.begin()->first == expected_) {
        take(*received_.begin()->second, delivered);
        received_.erase(received_.begin());
        ++expected_;
    }
}

/// An SDU is whole if its pieces have come one after the other; one that lacks a piece is discarded.
void UmReceiver::take(const Layout& layout, std::vector<Sdu>& delivered) {
    for (const Fragment& piece : layout) {
        if (piece.bytes.begin == 0) {
            partial_id_ = piece.sdu.id;
            partial_bytes_ = 0;
        }
        if (piece.sdu.id != partial_id_ || piece.bytes.begin != partial_bytes_) continue;
        partial_bytes_ = piece.bytes.end;
        if (partial_bytes_ == piece.sdu.bytes) delivered.push_back(piece.sdu);
    }
}

void UmReceiver::start_or_stop_timer(Time now) {
    if (deadline_ && awaited_sn_ <= expected_) deadline_.reset();
    if (deadline_ || received_.empty()) return;
    deadline_ = now + reordering_;
    awaited_sn_ = received_.rbegin()->first + 1;
}

}  // namespace mmwemu
