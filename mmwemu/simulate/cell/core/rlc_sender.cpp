// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <utility>

#include "core/rlc_am.h"

namespace mmwemu {

namespace {

// Sizes of TS 38.322, clause 6.2.2.4, with an 18-bit SN, and the range of a part.
constexpr std::uint32_t kPduHeaderBytes = 3, kSegmentBytes = 2;
constexpr std::uint32_t kSmallestPieceBytes = 8;
constexpr std::uint32_t kSmallestBlockBytes = kPduHeaderBytes + kSegmentBytes + kSmallestPieceBytes;
constexpr std::uint64_t kWindow = 131'072;  // TS 38.322, clause 7.2
constexpr std::uint32_t kPollPdus = 4, kPollBytes = 25'000;

std::uint32_t total_size(const std::vector<Range>& ranges) {
    std::uint32_t sum = 0;
    for (const Range& range : ranges) sum += range.size();
    return sum;
}

}  // namespace

bool AmSender::push(const Sdu& sdu) {
    return fresh_.push(sdu);
}

bool AmSender::has_fresh() const {
    return !fresh_.empty() && next_sn_ - base_ < kWindow;
}

bool AmSender::has_data(Time now) {
    expire(now);
    return has_fresh() || !again_.empty();
}

std::uint32_t AmSender::wanted_bytes(Time now, std::uint32_t most) {
    if (!has_data(now)) return 0;
    std::uint64_t wanted = 0;
    for (const auto& [sn, ranges] : again_) {
        for (const Range& range : ranges) wanted += kPduHeaderBytes + kSegmentBytes + range.size();
        if (wanted >= most) return most;
    }
    if (has_fresh()) wanted += kPduHeaderBytes + fresh_.wanted_bytes();
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::max(wanted, std::uint64_t{kSmallestBlockBytes}), most));
}

void AmSender::expire(Time now) {
    if (!poll_deadline_ || now < *poll_deadline_) return;
    poll_deadline_.reset();
    force_poll_ = true;
    if (has_fresh() || !again_.empty() || window_.empty()) return;
    for (std::uint64_t sn = next_sn_; sn-- > base_;) {
        const Sent& sent = window_[static_cast<std::size_t>(sn - base_)];
        if (sent.acked) continue;
        retransmit(sn, {{0, sent.total}});
        return;
    }
}

void AmSender::retransmit(std::uint64_t sn, std::vector<Range> ranges) {
    forget_retransmission(sn);
    retransmit_bytes_ += total_size(ranges);
    again_[sn] = std::move(ranges);
}

void AmSender::forget_retransmission(std::uint64_t sn) {
    const auto found = again_.find(sn);
    if (found == again_.end()) return;
    retransmit_bytes_ -= total_size(found->second);
    again_.erase(found);
}

Pdu AmSender::next_again(std::uint32_t room) {
    const auto entry = again_.begin();
    Range& first = entry->second.front();
    const Sent& sent = window_[static_cast<std::size_t>(entry->first - base_)];
    Pdu pdu{entry->first, first, sent.total, false, sent.layout};
    pdu.bytes.end = std::min(first.end, first.begin + room - kPduHeaderBytes - kSegmentBytes);
    first.begin = pdu.bytes.end;
    retransmit_bytes_ -= pdu.bytes.size();
    if (first.size() == 0) entry->second.erase(entry->second.begin());
    if (entry->second.empty()) again_.erase(entry);
    return pdu;
}

Pdu AmSender::next_fresh(std::uint32_t room) {
    const auto [layout, bytes] = fresh_.take(room - kPduHeaderBytes);
    window_.push_back({layout, bytes, false});
    return {next_sn_++, {0, bytes}, bytes, false, layout};
}

std::vector<Pdu> AmSender::fill(Time now, std::uint32_t block_bytes) {
    expire(now);
    std::vector<Pdu> pdus;
    std::uint32_t room = block_bytes, bytes = 0;
    const auto fits = [&] { return room >= kSmallestBlockBytes; };
    while (fits() && !again_.empty()) {
        pdus.push_back(next_again(room));
        room -= kPduHeaderBytes + kSegmentBytes + pdus.back().bytes.size();
        bytes += pdus.back().bytes.size();
    }
    if (fits() && has_fresh()) {
        pdus.push_back(next_fresh(room));
        bytes += pdus.back().total;
    }
    if (!pdus.empty()) mark_poll(now, pdus, bytes);
    return pdus;
}

void AmSender::mark_poll(Time now, std::vector<Pdu>& pdus, std::uint32_t bytes) {
    pdus_since_poll_ += static_cast<std::uint32_t>(pdus.size());
    bytes_since_poll_ += bytes;
    const bool last = again_.empty() && !has_fresh();
    if (!last && !force_poll_ && pdus_since_poll_ < kPollPdus && bytes_since_poll_ < kPollBytes) return;
    pdus.back().poll = true;
    pdus_since_poll_ = bytes_since_poll_ = 0;
    force_poll_ = false;
    poll_sn_ = next_sn_ - 1;
    poll_deadline_ = now + timers_.poll_retransmit;
}

void AmSender::on_status(Time, const Status& status) {
    bool poll_answered = poll_sn_ < status.ack_sn;
    auto nack = status.nacks.begin();
    for (std::uint64_t sn = base_; sn < status.ack_sn; ++sn) {
        while (nack != status.nacks.end() && nack->sn < sn) ++nack;
        Sent& sent = window_[static_cast<std::size_t>(sn - base_)];
        if (nack != status.nacks.end() && nack->sn == sn) {
            poll_answered |= sn == poll_sn_;
            if (sent.acked) continue;
            retransmit(sn, nack->missing.empty() ? std::vector<Range>{{0, sent.total}} : nack->missing);
        } else {
            sent.acked = true;
            forget_retransmission(sn);
        }
    }
    if (poll_answered) poll_deadline_.reset();
    while (!window_.empty() && window_.front().acked) {
        window_.pop_front();
        ++base_;
    }
}

}  // namespace mmwemu
