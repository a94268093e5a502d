// SPDX-License-Identifier: GPL-2.0-only
// Functions of TcpTxBuffer in place of those in ns-3's library, which walk over all segments in flight each time and
// take most of a simulation once there are thousands. The dynamic linker finds the program's definitions first.

#include <ns3/abort.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/tcp-tx-buffer.h>
#include <ns3/tcp-tx-item.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "transport/scoreboard.h"

namespace {

mmwemu::Scoreboard& scoreboard_of(const ns3::TcpTxBuffer* buffer) {
    static std::unordered_map<const ns3::TcpTxBuffer*, mmwemu::Scoreboard> all;
    return all[buffer];
}

std::uint32_t size_of(const ns3::TcpTxItem& segment) {
    return segment.GetSeqSize();
}

}  // namespace

namespace ns3 {

/// Take the blocks of a selective acknowledgement; returns the bytes that they newly report.
///
/// Differs from the library's in two ways. A segment that was sent again and has arrived is no longer in flight (RFC
/// 6675, section 4, SetPipe); there it stays so until the cumulative acknowledgement, which halves the rate of
/// recovery. And a segment that was sent again is lost again once one that was sent later has arrived (RFC 8985,
/// section 5, without reordering, which RLC rules out); there it waits for the timeout.
std::uint32_t TcpTxBuffer::Update(const TcpOptionSack::SackList& list, const Callback<void, TcpTxItem*>& sackedCb) {
    mmwemu::Scoreboard& board = scoreboard_of(this);
    board.follow(m_sentList, m_firstByteSeq, size_of);
    if (m_sackedOut == 0) board.forget_sacked();
    std::uint32_t arrived_bytes = 0;
    Time newest(0);
    for (const auto& [begin, end] : list) {
        std::size_t i = board.find(board.sacked_until(begin));
        while (i < board.size()) {
            const auto [at, position] = board.at(i);
            TcpTxItem& segment = **position;
            const std::uint32_t bytes = size_of(segment);
            if (at + bytes > end) break;
            if (const SequenceNumber32 known = board.sacked_until(at); known > at) {
                i = board.find(known);
                continue;
            }
            ++i;
            board.set_sacked(at, at + bytes);
            if (segment.m_sacked) continue;
            if (segment.m_lost) m_lostOut -= bytes;
            if (segment.m_retrans) m_retrans -= bytes;
            newest = std::max(newest, segment.m_lastSent);
            segment.m_lost = segment.m_retrans = false;
            segment.m_sacked = true;
            m_sackedOut += bytes;
            arrived_bytes += bytes;
            if (m_highestSack.first == m_sentList.end() || m_highestSack.second <= at) m_highestSack = {position, at};
            if (!sackedCb.IsNull()) sackedCb(&segment);
        }
    }
    if (arrived_bytes == 0) return 0;
    // All before the third-highest segment that has arrived are lost.
    std::uint32_t arrived = 0;
    SequenceNumber32 third = board.lost_below();
    for (std::size_t i = board.find(m_highestSack.second) + 1; i-- > 0 && board.at(i).begin >= board.lost_below();) {
        TcpTxItem& segment = **board.at(i).segment;
        if (segment.m_sacked && ++arrived == m_dupAckThresh) third = board.at(i).begin;
        if (arrived < m_dupAckThresh || segment.m_sacked || segment.m_lost) continue;
        segment.m_lost = true;
        m_lostOut += size_of(segment);
    }
    board.set_lost_below(third);
    for (; !board.sent_again.empty() && board.sent_again.front().second < newest; board.sent_again.pop_front()) {
        const auto [sequence, time] = board.sent_again.front();
        const std::size_t i = board.find(sequence);
        if (sequence < m_firstByteSeq || i == board.size() || board.at(i).begin != sequence) continue;
        TcpTxItem& segment = **board.at(i).segment;
        if (segment.m_sacked || !segment.m_lost || !segment.m_retrans || segment.m_lastSent != time) continue;
        segment.m_retrans = false;
        m_retrans -= size_of(segment);
        board.set_waiting_from(std::min(board.waiting_from(), sequence));
    }
    return arrived_bytes;
}

/// After a timeout: all segments that have not arrived are lost.
void TcpTxBuffer::SetSentListLost(bool resetSack) {
    mmwemu::Scoreboard& board = scoreboard_of(this);
    board.follow(m_sentList, m_firstByteSeq, size_of);
    if (resetSack) {
        m_sackedOut = 0;
        m_highestSack = {m_sentList.end(), SequenceNumber32(0)};
        board.forget_sacked();
    }
    m_lostOut = m_retrans = 0;
    for (TcpTxItem* segment : m_sentList) {
        if (resetSack) segment->m_sacked = false;
        segment->m_lost = !segment->m_sacked;
        segment->m_retrans = false;
        if (segment->m_lost) m_lostOut += size_of(*segment);
    }
    board.restart();
    board.sent_again.clear();
}

/// RFC 6675, section 4, NextSeg: the segment to send next, from `seq` to `seqHigh`; false if there is none.
bool TcpTxBuffer::NextSeg(SequenceNumber32* seq, SequenceNumber32* seqHigh, bool isRecovery) const {
    const auto choose = [&](SequenceNumber32 begin, std::uint32_t bytes) {
        *seq = begin;
        *seqHigh = begin + bytes;
        return true;
    };
    mmwemu::Scoreboard& board = scoreboard_of(this);
    board.follow(const_cast<PacketList&>(m_sentList), m_firstByteSeq, size_of);
    // The first segment that has neither arrived nor been sent again. The flags of the head change elsewhere, too.
    const auto waits = [&](std::size_t i) {
        const TcpTxItem& segment = **board.at(i).segment;
        return !segment.m_sacked && !segment.m_retrans;
    };
    std::size_t first = board.size() == 0 || waits(0) || !m_sackEnabled ? 0 : board.find(board.waiting_from());
    while (first < board.size() && !waits(first)) ++first;
    const bool waiting = first < board.size();
    const SequenceNumber32 outstanding = waiting ? board.at(first).begin : SequenceNumber32(0);
    const SequenceNumber32 unsent = m_firstByteSeq.Get() + m_sentSize;
    board.set_waiting_from(waiting ? outstanding : unsent);
    // Rule 1: a lost one. Nothing before it waits, and all after it would be lost only if it were.
    if (waiting && (*board.at(first).segment)->m_lost) return choose(outstanding, m_segmentSize);
    // Rule 2: new data, if the receiver's window allows.
    if (SizeFromSequence(unsent) > 0) {
        const std::uint32_t window = m_rWndCallback();
        return m_sentSize <= window && choose(unsent, std::min(m_segmentSize, window - m_sentSize));
    }
    // Rule 3: one of which nothing is known, before the highest that has arrived. The library's offers those behind,
    // too, and so sends again all that is in flight whenever there is no new data.
    return isRecovery && waiting && outstanding < m_highestSack.second && choose(outstanding, m_segmentSize);
}

/// The segment at `seq`, of at most `numBytes`, that TCP is about to send: a new one, or one that was sent before.
///
/// The library would also join a short segment with the next; this one sends it again as it was.
TcpTxItem* TcpTxBuffer::CopyFromSequence(std::uint32_t numBytes, const SequenceNumber32& seq) {
    const std::uint32_t bytes = std::min(numBytes, SizeFromSequence(seq));
    if (bytes == 0) return nullptr;
    mmwemu::Scoreboard& board = scoreboard_of(this);
    board.follow(m_sentList, m_firstByteSeq, size_of);
    TcpTxItem* item = nullptr;
    if (seq >= m_firstByteSeq.Get() + m_sentSize) {
        item = GetNewSegment(bytes);
        board.append(seq, std::prev(m_sentList.end()));
    } else {
        const std::size_t found = board.find(seq);
        NS_ABORT_MSG_IF(found == board.size() || board.at(found).begin != seq,
                        "No segment was sent that starts at " << seq);
        const auto position = board.at(found).segment;
        item = *position;
        if (size_of(*item) > bytes) {
            auto* const front = new TcpTxItem();
            SplitItems(front, item, bytes);
            board.split(found, bytes, m_sentList.insert(position, front));
            item = front;
        }
        if (!item->m_retrans) m_retrans += size_of(*item);
        item->m_retrans = true;
        board.sent_again.emplace_back(seq, Simulator::Now());
    }
    item->m_lastSent = Simulator::Now();
    return item;
}

}  // namespace ns3
