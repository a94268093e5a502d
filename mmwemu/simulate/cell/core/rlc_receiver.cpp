// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>

#include "core/rlc_am.h"

namespace mmwemu {

namespace {

/// Add a range to sorted, disjoint ranges.
void unite(std::vector<Range>& ranges, Range added) {
    std::vector<Range> united;
    for (const Range& range : ranges) {
        if (range.end < added.begin || added.end < range.begin) {
            united.push_back(range);
        } else {
            added = {std::min(added.begin, range.begin), std::max(added.end, range.end)};
        }
    }
    united.push_back(added);
    std::sort(united.begin(), united.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    ranges = std::move(united);
}

std::vector<Range> gaps(const std::vector<Range>& ranges, std::uint32_t total) {
    std::vector<Range> missing;
    std::uint32_t at = 0;
    for (const Range& range : ranges) {
        if (range.begin > at) missing.push_back({at, range.begin});
        at = range.end;
    }
    if (at < total) missing.push_back({at, total});
    return missing;
}

}  // namespace

std::uint64_t AmReceiver::first_gap(std::uint64_t from) {
    while (from < highest_ && whole(from)) ++from;
    return from;
}

void AmReceiver::on_pdu(Time now, const Pdu& pdu, std::vector<Sdu>& delivered) {
    if (pdu.poll && (!polled_sn_ || pdu.sn < *polled_sn_)) polled_sn_ = pdu.sn;
    if (pdu.sn < highest_ && whole(pdu.sn)) return;
    if (pdu.sn >= highest_) {
        highest_ = pdu.sn + 1;
        window_.resize(static_cast<std::size_t>(highest_ - expected_));
    }
    Received& received = at(pdu.sn);
    received.total = pdu.total;
    received.layout = pdu.layout;
    unite(received.ranges, pdu.bytes);
    received.whole = received.ranges.size() == 1 && received.ranges.front().size() == pdu.total;
    if (received.whole) {
        status_sn_ = first_gap(status_sn_);
        deliver(delivered);
    }
    start_or_stop_reordering(now);
}

void AmReceiver::deliver(std::vector<Sdu>& delivered) {
    while (!window_.empty() && window_.front().whole) {
        for (const Fragment& fragment : *window_.front().layout) {
            if (fragment.bytes.end == fragment.sdu.bytes) delivered.push_back(fragment.sdu);
        }
        window_.pop_front();
        ++expected_;
    }
}

void AmReceiver::start_or_stop_reordering(Time now) {
    if (reordering_deadline_ && reorder_sn_ <= expected_) reordering_deadline_.reset();
    if (!reordering_deadline_ && highest_ > expected_) {
        reordering_deadline_ = now + timers_.reordering;
        reorder_sn_ = highest_;
    }
}

std::optional<Status> AmReceiver::status(Time now) {
    if (reordering_deadline_ && now >= *reordering_deadline_) {
        reordering_deadline_.reset();
        status_sn_ = first_gap(std::max(reorder_sn_, expected_));
        status_triggered_ = true;
        if (highest_ > status_sn_) {
            reordering_deadline_ = now + timers_.reordering;
            reorder_sn_ = highest_;
        }
    }
    if (polled_sn_ && *polled_sn_ < status_sn_) {
        status_triggered_ = true;
        polled_sn_.reset();
    }
    if (!status_triggered_ || now < prohibited_until_) return std::nullopt;
    status_triggered_ = false;
    prohibited_until_ = now + timers_.status_prohibit;
    return report();
}

Status AmReceiver::report() {
    Status status{status_sn_, {}};
    for (std::uint64_t sn = expected_; sn < status_sn_; ++sn) {
        const Received& received = at(sn);
        if (!received.whole) status.nacks.push_back({sn, gaps(received.ranges, received.total)});
    }
    return status;
}

}  // namespace mmwemu
