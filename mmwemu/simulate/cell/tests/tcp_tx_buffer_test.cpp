// SPDX-License-Identifier: GPL-2.0-only
// What a TCP sender has in flight, after ns-3's own list and its functions in transport/tcp_tx_buffer.cpp.

#include <doctest/doctest.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/tcp-tx-buffer.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <set>

namespace {

using ns3::SequenceNumber32;
constexpr std::uint32_t kSegment = 1'000, kSegments = 600, kWindow = 100;

struct Flying {
    std::uint32_t number;
    bool lost;
};

/// A sender with SACK and a receiver that answers each segment, with a path between them that keeps the order.
class Path {
  public:
    Path(std::uint32_t first, double loss, unsigned seed) : first_(first), loss_(loss), luck_(seed) {
        buffer_.SetHeadSequence(first_);
        buffer_.SetSegmentSize(kSegment);
        buffer_.SetMaxBufferSize(kSegments * kSegment);
        buffer_.SetSackEnabled(true);
        buffer_.SetDupAckThresh(3);
        buffer_.SetRWndCallback(ns3::Callback<std::uint32_t>([] { return std::numeric_limits<std::uint32_t>::max(); }));
        for (std::uint32_t i = 0; i < kSegments; ++i) buffer_.Add(ns3::Create<ns3::Packet>(kSegment));
    }

    /// Send what the window allows; returns the number of segments.
    std::uint32_t send() {
        std::uint32_t sent = 0;
        for (SequenceNumber32 begin, end; buffer_.BytesInFlight() < kWindow * kSegment; ++sent) {
            if (!buffer_.NextSeg(&begin, &end, true)) break;
            REQUIRE(buffer_.CopyFromSequence(kSegment, begin) != nullptr);
            const std::uint32_t number = (begin - first_) / kSegment;
            flying_.push_back({number, loss_ > 0 && std::bernoulli_distribution(loss_)(luck_)});
            ++times_sent_[number];
            wait();
        }
        return sent;
    }

    /// The next segment arrives, and so does its acknowledgement; false if none is on its way.
    bool arrive() {
        while (!flying_.empty() && flying_.front().lost) flying_.pop_front();
        if (flying_.empty()) return false;
        const std::uint32_t number = flying_.front().number;
        flying_.pop_front();
        CHECK_MESSAGE(!is_there(number), "segment ", number, " was sent again although it had arrived");
        there_.insert(number);
        while (there_.contains(next_)) ++next_;
        acknowledge(number);
        wait();
        check();
        return true;
    }

    bool is_done() const { return next_ == kSegments; }
    void time_out() { buffer_.SetSentListLost(); }
    std::uint32_t most_times_sent() const { return *std::max_element(times_sent_.begin(), times_sent_.end()); }

  private:
    bool is_there(std::uint32_t number) const { return number < next_ || there_.contains(number); }

    /// A block around the newest, and two more.
    void acknowledge(std::uint32_t newest) {
        buffer_.DiscardUpTo(first_ + SequenceNumber32(next_ * kSegment));
        ns3::TcpOptionSack::SackList blocks;
        const auto add = [&](std::uint32_t number) {
            std::uint32_t low = number, high = number;
            while (low > next_ && is_there(low - 1)) --low;
            while (is_there(high + 1)) ++high;
            blocks.emplace_back(first_ + SequenceNumber32(low * kSegment),
                                first_ + SequenceNumber32((high + 1) * kSegment));
        };
        if (newest > next_) add(newest);
        for (auto at = there_.rbegin(); at != there_.rend() && *at > next_ && blocks.size() < 3; ++at) {
            if (!is_there(*at + 1)) add(*at);
        }
        if (!blocks.empty()) buffer_.Update(blocks);
    }

    void wait() {
        ns3::Simulator::Stop(ns3::MicroSeconds(10));
        ns3::Simulator::Run();
    }

    void check() const {
        std::uint32_t sacked = 0;
        for (const std::uint32_t number : there_) sacked += number > next_ ? kSegment : 0;
        CHECK(buffer_.GetSacked() == sacked);
        // A segment in flight is one that will arrive or is lost without a sign of it.
        std::uint32_t coming = 0;
        for (const Flying& segment : flying_) coming += segment.lost ? 0 : kSegment;
        CHECK(buffer_.BytesInFlight() >= coming);
        // What is repaired is not in flight; what is lost is until three segments tell of it.
        if (loss_ < 0.1) CHECK(buffer_.BytesInFlight() <= (flying_.size() + 6) * kSegment);
    }

    SequenceNumber32 first_;
    double loss_;
    std::mt19937 luck_;
    mutable ns3::TcpTxBuffer buffer_;
    std::deque<Flying> flying_;
    std::set<std::uint32_t> there_;
    std::uint32_t next_ = 0;
    std::vector<std::uint32_t> times_sent_ = std::vector<std::uint32_t>(kSegments);
};

}  // namespace

TEST_CASE("losses are repaired once each, also of what was sent again, and nothing else is sent twice") {
    for (const std::uint32_t first : {1u, 0xffff'0000u}) {  // with sequence numbers that wrap
        for (const double loss : {0.0, 0.02, 0.3}) {
            unsigned timeouts = 0;
            for (unsigned seed = 1; seed <= 5; ++seed) {
                CAPTURE(first);
                CAPTURE(loss);
                CAPTURE(seed);
                Path path(first, loss, seed);
                while (!path.is_done()) {
                    const bool sent = path.send() > 0, arrived = path.arrive();
                    if (sent || arrived) continue;
                    // The last ones are lost: nothing later tells.
                    REQUIRE(++timeouts < 50);
                    path.time_out();
                }
                if (loss == 0.0) CHECK(path.most_times_sent() == 1);
                if (loss == 0.3) CHECK(path.most_times_sent() > 2);
                ns3::Simulator::Destroy();
            }
            // Those of the last window alone; with 30 % each loss of what was sent again would be one more.
            CHECK(timeouts <= (loss < 0.1 ? 5 : 16));
        }
    }
}
