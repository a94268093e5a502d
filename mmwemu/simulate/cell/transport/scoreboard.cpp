// SPDX-License-Identifier: GPL-2.0-only
#include "transport/scoreboard.h"

#include <algorithm>
#include <iterator>

namespace mmwemu {

bool Scoreboard::fits(Segments& segments) const {
    if (entries_.size() != segments.size()) return false;
    return entries_.empty() ||
           (entries_.front().segment == segments.begin() && entries_.back().segment == std::prev(segments.end()));
}

std::size_t Scoreboard::find(Sequence sequence) const {
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), sequence,
                                        [](const Entry& entry, Sequence wanted) { return entry.begin < wanted; });
    return static_cast<std::size_t>(found - entries_.begin());
}

void Scoreboard::split(std::size_t index, std::uint32_t size, Segments::iterator front) {
    const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(index);
    const Sequence begin = at->begin;
    at->begin += size;
    entries_.insert(at, {begin, front});
}

Scoreboard::Sequence Scoreboard::sacked_until(Sequence sequence) const {
    const auto after = sacked_.upper_bound(sequence);
    if (after == sacked_.begin()) return sequence;
    return std::max(sequence, std::prev(after)->second);
}

void Scoreboard::set_sacked(Sequence begin, Sequence end) {
    const auto after = sacked_.upper_bound(begin);
    if (after != sacked_.begin() && std::prev(after)->second >= begin) {
        begin = std::prev(after)->first;
    }
    if (after != sacked_.end() && after->first <= end) {
        end = after->second;
        sacked_.erase(after);
    }
    sacked_[begin] = end;
}

}  // namespace mmwemu
