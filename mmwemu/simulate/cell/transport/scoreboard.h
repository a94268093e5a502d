// SPDX-License-Identifier: GPL-2.0-only
// An index of the segments that a TCP sender has in flight.

#pragma once

#include <ns3/nstime.h>
#include <ns3/sequence-number.h>
#include <ns3/tcp-tx-item.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <utility>

namespace mmwemu {

/// Finds segments of TcpTxBuffer's list by sequence number, and remembers how far walks over the list have come, so
/// that none begins at its start.
class Scoreboard {
  public:
    using Sequence = ns3::SequenceNumber32;
    using Segments = std::list<ns3::TcpTxItem*>;
    struct Entry {
        Sequence begin;
        Segments::iterator segment;
    };

    /// Bring the index up to the list, which begins at `first`: segments have been acknowledged, or all is different.
    /// `size` is a function of a segment.
    template <typename Size>
    void follow(Segments& segments, Sequence first, Size size) {
        while (!entries_.empty() && entries_.front().begin < first) entries_.pop_front();
        if (!fits(segments)) {
            entries_.clear();
            sacked_.clear();
            Sequence next = first;
            for (auto at = segments.begin(); at != segments.end(); next += size(**at), ++at) append(next, at);
            restart();
        }
        while (!sacked_.empty() && sacked_.begin()->second <= first) sacked_.erase(sacked_.begin());
        lost_below_ = std::max(lost_below_, first);
        waiting_from_ = std::max(waiting_from_, first);
    }

    std::size_t size() const { return entries_.size(); }
    const Entry& at(std::size_t index) const { return entries_[index]; }
    void append(Sequence begin, Segments::iterator segment) { entries_.push_back({begin, segment}); }

    /// Index of the first segment that begins at or after `sequence`.
    std::size_t find(Sequence sequence) const;

    /// A segment was cut in two: `front` is its first part, `size` bytes long.
    void split(std::size_t index, std::uint32_t size, Segments::iterator front);

    /// End of the bytes from `sequence` on that are known to have arrived; `sequence` if it is not among them.
    Sequence sacked_until(Sequence sequence) const;
    void set_sacked(Sequence begin, Sequence end);
    void forget_sacked() { sacked_.clear(); }

    /// Forget how far the walks have come.
    void restart() { lost_below_ = waiting_from_ = entries_.empty() ? Sequence(0) : entries_.front().begin; }

    /// All segments before this one are lost or have arrived.
    Sequence lost_below() const { return lost_below_; }
    void set_lost_below(Sequence sequence) { lost_below_ = sequence; }

    /// All segments before this one have arrived or been sent again.
    Sequence waiting_from() const { return waiting_from_; }
    void set_waiting_from(Sequence sequence) { waiting_from_ = sequence; }

    /// Segments that were sent again, by the time of it.
    std::deque<std::pair<Sequence, ns3::Time>> sent_again;

  private:
    bool fits(Segments& segments) const;

    std::deque<Entry> entries_;
    std::map<Sequence, Sequence> sacked_;  // end by begin
    Sequence lost_below_{0}, waiting_from_{0};
};

}  // namespace mmwemu
