// SPDX-License-Identifier: GPL-2.0-only
// Two functions of TcpTxBuffer in place of those in ns-3's library, which take most of a simulation's time once windows
// have megabytes. The dynamic linker finds the program's definitions first.

#include <ns3/abort.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/tcp-tx-buffer.h>
#include <ns3/tcp-tx-item.h>

#include <algorithm>
#include <optional>

namespace ns3 {

/// RFC 6675, section 4, NextSeg: the segment to send next, from `seq` to `seqHigh`; false if there is none.
///
/// The library's walks over all unacknowledged segments each time. This one decides the same, and stops once it has
/// seen all lost segments.
bool TcpTxBuffer::NextSeg(SequenceNumber32* seq, SequenceNumber32* seqHigh, bool isRecovery) const {
    const auto choose = [&](SequenceNumber32 begin, std::uint32_t bytes) {
        *seq = begin;
        *seqHigh = begin + bytes;
        return true;
    };
    // Rule 1: the first lost segment that was not sent again. For rule 3: the first that has neither arrived nor been
    // sent again.
    std::optional<SequenceNumber32> outstanding;
    SequenceNumber32 begin = m_firstByteSeq;
    std::uint32_t lost_bytes = 0;
    for (const TcpTxItem* item : m_sentList) {
        if (lost_bytes >= m_lostOut && (!isRecovery || outstanding)) break;
        const std::uint32_t bytes = item->m_packet->GetSize();
        if (!item->m_retrans && !item->m_sacked) {
            if (item->m_lost) return choose(begin, m_segmentSize);
            if (!outstanding) outstanding = begin;
        }
        if (item->m_lost) lost_bytes += bytes;
        begin += bytes;
    }
    // Rule 2: new data, if the receiver's window allows.
    const SequenceNumber32 unsent = m_firstByteSeq.Get() + m_sentSize;
    if (SizeFromSequence(unsent) > 0) {
        const std::uint32_t window = m_rWndCallback();
        return m_sentSize <= window && choose(unsent, std::min(m_segmentSize, window - m_sentSize));
    }
    return isRecovery && outstanding && choose(*outstanding, m_segmentSize);
}

/// The segment at `seq`, of at most `numBytes`, that TCP is about to send: a new one, or one that was sent before.
///
/// For the latter the library compares the list of unacknowledged segments with itself at each step of its search. It
/// would also join a short segment with the next; this one sends it again as it was.
TcpTxItem* TcpTxBuffer::CopyFromSequence(std::uint32_t numBytes, const SequenceNumber32& seq) {
    const std::uint32_t bytes = std::min(numBytes, SizeFromSequence(seq));
    if (bytes == 0) return nullptr;
    TcpTxItem* item = nullptr;
    if (seq >= m_firstByteSeq.Get() + m_sentSize) {
        item = GetNewSegment(bytes);
    } else {
        const auto found = std::find_if(m_sentList.begin(), m_sentList.end(),
                                        [&](const TcpTxItem* sent) { return sent->m_startSeq == seq; });
        NS_ABORT_MSG_IF(found == m_sentList.end(), "No segment was sent that starts at " << seq);
        item = *found;
        if (item->m_packet->GetSize() > bytes) {
            auto* const front = new TcpTxItem();
            SplitItems(front, item, bytes);
            m_sentList.insert(found, front);
            item = front;
        }
        if (!item->m_retrans) m_retrans += item->m_packet->GetSize();
        item->m_retrans = true;
    }
    item->m_lastSent = Simulator::Now();
    return item;
}

}  // namespace ns3
