// A day of traffic in simulated time: connections come and go, numbers and timestamps wrap, and nothing piles up.

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "milliproxy.h"
#include "packets.h"

using namespace mmwemu::proxy;
using tests::make;
using tests::Packet;

namespace {

constexpr Time kMs = 1'000'000, kSecond = 1000 * kMs, kDay = 86'400 * kSecond;
constexpr int kScale = 7;
constexpr std::uint32_t kSegment = 1448, kClientStart = 77;
constexpr std::uint64_t kBuffer = 60'000;

/// A download: a server that keeps to its window, and a client that acknowledges what it has.
struct Download {
    std::uint16_t port;
    std::uint32_t first, total;  // number of the first byte, and how many there are
    std::uint32_t sent = 0, has = 0, edge = 0;
    bool is_over() const { return has == total; }
};

class Day {
  public:
    explicit Day(unsigned seed) : random_(seed) {}

    void run() {
        for (std::uint16_t port = 1; now_ < kDay; ++port) {
            std::vector<Download> downloads(1 + below(6));
            for (Download& one : downloads) {
                one = {++port, static_cast<std::uint32_t>(random_()), 1 + below(200'000)};
                if (below(4) == 0) one.first = 0u - below(one.total);  // wraps on the way
                connect(one);
            }
            for (int i = 0; !std::ranges::all_of(downloads, &Download::is_over); ++i) {
                REQUIRE(i < 100'000);
                for (Download& one : downloads) step(one);
            }
            for (Download& one : downloads) part(one);
            REQUIRE(proxy_.connections() <= 4096);
            REQUIRE(proxy_.held_bytes() == 0);
            now_ += static_cast<Time>(below(200)) * kSecond;
        }
        CHECK(bytes_ > 100'000'000);
    }

  private:
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
    /// Milliseconds that wrap within the day.
    std::uint32_t clock() const { return 4'290'000'000u + static_cast<std::uint32_t>(now_ / kMs); }

    void server(const Download& one, std::uint32_t seq, std::size_t bytes, std::uint8_t flags, int scale = -1) {
        proxy_.from_server(
            now_,
            make({true, seq, kClientStart + 1, 500, flags, scale, clock(), clock(), true, false, one.port}, bytes));
    }
    void client(const Download& one, std::uint32_t seq, std::uint32_t ack, std::uint8_t flags, int scale = -1) {
        proxy_.from_client(now_, make({false, seq, ack, 4000, flags, scale, clock(), clock(), true, false, one.port}));
    }

    void connect(Download& one) {
        client(one, kClientStart, 0, Segment::kSyn, kScale);
        now_ += 10 * kMs;
        server(one, one.first - 1, 0, Segment::kSyn | Segment::kAck, kScale);
        client(one, kClientStart + 1, one.first, Segment::kAck);
        take(one);
    }

    void step(Download& one) {
        now_ += static_cast<Time>(below(4)) * kMs;
        if (below(3) == 0) proxy_.inform(now_, {1e3 * below(2'000'000), below(20) == 0 ? 5'000'000u : 0});
        const std::uint32_t bytes = std::min({1 + below(kSegment), one.total - one.sent, one.edge - one.sent});
        if (bytes > 0) {
            server(one, one.first + one.sent, bytes, Segment::kAck);
            one.sent += bytes;
        } else if (one.has < one.sent && below(8) == 0) {
            server(one, one.first + one.has, std::min(kSegment, one.sent - one.has), Segment::kAck);
        }
        if (below(3) == 0) client(one, kClientStart + 1, one.first + one.has, Segment::kAck);
        take(one);
    }

    /// Let both ends take what came: some of it is lost.
    void take(Download& one) {
        for (const Packet& packet : std::exchange(at_client_, {})) {
            const auto segment = parse(packet);
            if (segment->to.port != one.port) {
                later_.push_back(packet);
                continue;
            }
            const std::uint32_t start = segment->seq - one.first;
            REQUIRE((start <= one.total || segment->has(Segment::kSyn)));
            if (segment->has(Segment::kSyn) || below(50) == 0 || start > one.has) continue;
            const std::uint32_t end = std::max(one.has, start + segment->payload_bytes);
            bytes_ += end - one.has;
            one.has = end;
        }
        at_client_ = std::exchange(later_, {});
        for (const Packet& packet : std::exchange(at_server_, {})) {
            const auto segment = parse(packet);
            if (segment->from.port != one.port) {
                later_.push_back(packet);
                continue;
            }
            if (segment->has(Segment::kSyn)) continue;
            REQUIRE(segment->ack - one.first <= one.has);
            const std::uint32_t end = segment->ack - one.first + (std::uint32_t{segment->window} << kScale);
            one.edge = std::max(one.edge, end);
        }
        at_server_ = std::exchange(later_, {});
    }

    /// End the connection by both ends, by a reset of either, or let it be forgotten.
    void part(const Download& one) {
        const std::uint32_t end = one.first + one.total;
        client(one, kClientStart + 1, end, Segment::kAck);
        switch (below(4)) {
            case 0:
                server(one, end, 0, Segment::kAck | Segment::kFin);
                client(one, kClientStart + 1, end + 1, Segment::kAck | Segment::kFin);
                server(one, end + 1, 0, Segment::kAck);
                break;
            case 1:
                client(one, kClientStart + 1, end, Segment::kRst);
                break;
            case 2:
                server(one, end, 0, Segment::kRst | Segment::kAck);
                break;
            default:
                break;
        }
        at_client_.clear();
        at_server_.clear();
    }

    std::mt19937 random_;
    Time now_ = 0;
    std::uint64_t bytes_ = 0;
    std::vector<Packet> at_client_, at_server_, later_;
    MilliProxy<Packet> proxy_{{kBuffer, 400'000'000, 2'000'000, kMs, 3 * kMs},
                              {[this](Packet packet) { at_client_.push_back(std::move(packet)); },
                               [this](Packet packet) { at_server_.push_back(std::move(packet)); },
                               [](const Packet& packet) { return Bytes(packet); },
                               [](Packet& packet, std::uint16_t window) { set_window(packet, window, true); },
                               [](std::vector<std::uint8_t> bytes) { return bytes; }}};
};

}  // namespace

TEST_CASE("A day of downloads loses no byte, and neither data nor connections pile up") {
    Day(1).run();
}
