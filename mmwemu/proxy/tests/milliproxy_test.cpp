#include "milliproxy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "packets.h"

using namespace mmwemu::proxy;
using tests::Header;
using tests::make;
using tests::Packet;

namespace {

constexpr Time kMs = 1'000'000;
constexpr std::uint32_t kServerStart = 4'294'900'000, kClientStart = 10;  // the server's numbers soon wrap
constexpr int kScale = 7;
constexpr std::uint16_t kClientWindow = 50'000;  // 6.4 MB

/// Bytes as a window field of this scale has them.
std::uint64_t scaled(double bytes, int scale = kScale) {
    return static_cast<std::uint64_t>(bytes) >> scale << scale;
}

/// A connection through the proxy: 10 ms to the server, 1 ms to the client, as far as timestamps tell.
struct Run {
    explicit Run(Settings settings = {})
        : proxy(settings, {[this](Packet packet) { at_client.push_back(std::move(packet)); },
                           [this](Packet packet) { at_server.push_back(std::move(packet)); },
                           [](const Packet& packet) { return Bytes(packet); },
                           [](Packet& packet, std::uint16_t window) { set_window(packet, window, true); },
                           [](std::vector<std::uint8_t> bytes) { return bytes; }}) {}

    void shake_hands(int client_scale = kScale, int server_scale = kScale) {
        client({false, kClientStart, 0, 0xffff, Segment::kSyn, client_scale, 1, 0});
        now += 10 * kMs;
        server({true, kServerStart, kClientStart + 1, 0xffff, Segment::kSyn | Segment::kAck, server_scale, 1, 1});
        now += 1 * kMs;
        acknowledge(kServerStart + 1, 2, 1);
        at_client.clear();
        at_server.clear();
    }
    void client(const Header& header, std::size_t payload = 0) { proxy.from_client(now, make(header, payload)); }
    void server(const Header& header, std::size_t payload = 0) { proxy.from_server(now, make(header, payload)); }
    void data(std::uint32_t seq, std::size_t bytes, std::uint8_t flags = Segment::kAck) {
        server({true, seq, kClientStart + 1, 500, flags, -1, 5, 1}, bytes);
    }
    void acknowledge(std::uint32_t ack, std::uint32_t value = 3, std::uint32_t echo = 1) {
        client({false, kClientStart + 1, ack, kClientWindow, Segment::kAck, -1, value, echo});
    }
    std::uint64_t told() const { return std::uint64_t{parse(at_server.back())->window} << kScale; }

    Time now = 0;
    std::vector<Packet> at_client, at_server;
    MilliProxy<Packet> proxy;
};

}  // namespace

TEST_CASE("The window is the round trip times the rate") {
    Run run;
    run.proxy.inform(0, {2e9, 0});
    run.shake_hands();
    run.acknowledge(kServerStart + 1);
    CHECK(run.told() == scaled(0.011 * 2e9 / 8));
    CHECK(tests::is_sound(run.at_server.back()));
    run.proxy.inform(run.now, {1e9, 0});
    run.acknowledge(kServerStart + 1);
    CHECK(run.told() == scaled(0.011 * 1e9 / 8));
}

TEST_CASE("A backlog above its limit takes twice itself from the window, down to nothing") {
    Run run;
    run.shake_hands();
    const auto told_with = [&](std::uint64_t backlog) {
        run.proxy.inform(run.now, {8e9, backlog});
        run.acknowledge(kServerStart + 1);
        return run.told();
    };
    CHECK(told_with(2'000'000) == 65'535u << kScale);  // what the field can say
    CHECK(told_with(4'000'000) == scaled(3e6));
    CHECK(told_with(6'000'000) == 0);
}

TEST_CASE("Before a round trip is known the window is what the client and the buffer can take") {
    Run run;
    run.client({false, kClientStart, 0, 0xffff, Segment::kSyn, 9, 0, 0, false});
    run.server({true, kServerStart, kClientStart + 1, 0xffff, Segment::kSyn | Segment::kAck, 9, 0, 0, false});
    run.client({false, kClientStart + 1, kServerStart + 1, 20'000, Segment::kAck, -1, 0, 0, false});
    const std::uint64_t told = std::uint64_t{parse(run.at_server.back())->window} << 9;
    CHECK(told == scaled(20'000 * 512 + 10'000'000, 9));
}

TEST_CASE("Information counts after its delay and once an interval") {
    Settings settings;
    settings.information_delay = 3 * kMs;
    settings.information_interval = 10 * kMs;
    Run run(settings);
    run.proxy.inform(0, {1e9, 0});
    run.shake_hands();  // takes 11 ms
    const auto told_at = [&](Time now) {
        run.now = now;
        run.acknowledge(kServerStart + 1);
        return run.told();
    };
    const std::uint64_t one = scaled(0.011 * 1e9 / 8), half = scaled(0.011 * 5e8 / 8);
    run.proxy.inform(20 * kMs, {5e8, 0});
    run.proxy.inform(21 * kMs, {2.5e8, 0});  // too soon after the last
    CHECK(told_at(22 * kMs) == one);
    CHECK(told_at(23 * kMs) == half);
    CHECK(told_at(40 * kMs) == half);
}

TEST_CASE("Data ahead of the window waits for acknowledgements, in order and with the end of the stream") {
    Run run;
    run.proxy.inform(0, {2e6, 0});  // 2750 bytes
    run.shake_hands();
    std::uint32_t seq = kServerStart + 1;
    for (int i = 0; i < 4; ++i, seq += 1000) run.data(seq, 1000);
    run.data(seq, 0, Segment::kAck | Segment::kFin);
    CHECK(run.at_client.size() == 2);
    CHECK(run.proxy.held_bytes() == 2000);
    run.data(kServerStart + 1, 1000);  // sent again: it does not wait
    CHECK(run.at_client.size() == 3);
    run.acknowledge(kServerStart + 1 + 2000);
    REQUIRE(run.at_client.size() == 6);
    CHECK(parse(run.at_client.back())->has(Segment::kFin));
    CHECK(run.proxy.held_bytes() == 0);
}

TEST_CASE("More than the buffer goes on ahead of the window, and beyond the client's window it is lost") {
    Settings settings;
    settings.buffer_bytes = 3000;
    Run run(settings);
    run.proxy.inform(0, {1e3, 0});
    run.shake_hands();
    std::uint32_t seq = kServerStart + 1;
    for (int i = 0; i < 5; ++i, seq += 1000) run.data(seq, 1000);
    CHECK(run.at_client.size() == 2);  // the first since nothing was on its way
    CHECK(run.proxy.held_bytes() == 3000);
    run.client({false, kClientStart + 1, kServerStart + 1 + 1000, 8, Segment::kAck, -1, 3, 1});  // 1024 bytes
    const std::size_t before = run.at_client.size();
    run.data(seq, 1000);
    CHECK(run.at_client.size() == before);
    CHECK(run.proxy.held_bytes() == 3000);
}

TEST_CASE("A server that was told to stop is told when it may go on, by the client's own last acknowledgement") {
    Run run;
    run.proxy.inform(0, {1e9, 0});
    run.shake_hands();
    run.proxy.inform(run.now, {1e9, 3'000'000});
    run.acknowledge(kServerStart + 1);
    CHECK(run.told() == 0);
    const std::size_t before = run.at_server.size();
    run.proxy.inform(run.now, {1e9, 2'500'000});
    CHECK(run.at_server.size() == before);
    run.proxy.inform(run.now, {1e9, 0});
    REQUIRE(run.at_server.size() == before + 1);
    CHECK(tests::is_sound(run.at_server.back()));
    CHECK(parse(run.at_server.back())->ack == kServerStart + 1);
    CHECK(run.told() == scaled(0.011 * 1e9 / 8));
    run.proxy.inform(run.now, {1e9, 0});
    CHECK(run.at_server.size() == before + 1);
}

TEST_CASE("An acknowledgement that was overtaken does not open the window again") {
    Run run;
    run.proxy.inform(0, {1e9, 0});
    run.shake_hands();
    run.data(kServerStart + 1, 1000);
    run.proxy.inform(run.now, {1e7, 0});
    run.acknowledge(kServerStart + 1001);
    const std::uint64_t told = run.told();
    run.acknowledge(kServerStart + 1);
    CHECK(run.told() == told);
}

TEST_CASE("Without the handshake, and without scaling at one end, windows mean what they mean") {
    Run run;
    run.proxy.inform(0, {1e9, 0});
    run.acknowledge(kServerStart + 1);
    CHECK(run.at_server.back() ==
          make({false, kClientStart + 1, kServerStart + 1, kClientWindow, Segment::kAck, -1, 3, 1}));
    Run plain;
    plain.proxy.inform(0, {1e6, 0});
    plain.shake_hands(kScale, -1);
    plain.acknowledge(kServerStart + 1);
    CHECK(parse(plain.at_server.back())->window == static_cast<std::uint16_t>(0.011 * 1e6 / 8));
}

TEST_CASE("Reset, urgent data, a half-closed connection and other protocols pass unharmed") {
    Run run;
    run.proxy.inform(0, {1e9, 0});
    run.shake_hands();
    const auto passes_down = [&](const Packet& packet) {
        run.proxy.from_server(run.now, packet);
        return run.at_client.back() == packet;
    };
    const auto passes_up = [&](const Packet& packet) {
        run.proxy.from_client(run.now, packet);
        return run.at_server.back() == packet;
    };
    std::uint32_t seq = kServerStart + 1;
    CHECK(passes_down(make({true, seq, 11, 9, Segment::kAck | Segment::kUrg, -1, 5, 2}, 100)));
    CHECK(passes_down(make({true, seq + 100, 11, 9, Segment::kAck | Segment::kFin, -1, 5, 2}, 0)));
    CHECK(passes_down(make({true, seq + 101, 500, 9, Segment::kAck, -1, 5, 2}, 0)));
    CHECK(passes_up(make({false, 11, seq, 9, Segment::kRst, -1, 5, 2}, 0)));
    CHECK(passes_down(make({true, seq + 101, 500, 9, Segment::kRst | Segment::kAck, -1, 5, 2}, 0)));
    Packet udp = make({}, 50);
    udp[9] = 17;
    CHECK(passes_down(udp));
    CHECK(passes_up(udp));
    CHECK(passes_down(Packet{1, 2, 3}));
}

TEST_CASE("Whatever the window does, every byte arrives once the client acknowledges, and none is invented") {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::mt19937 random(seed);
        Settings settings;
        settings.buffer_bytes = 20'000 + random() % 100'000;
        Run run(settings);
        run.proxy.inform(0, {1e8, 0});
        run.shake_hands();
        const std::uint32_t first = kServerStart + 1, total = 300'000;
        std::uint32_t sent = 0, has = 0, edge = 60'000;
        std::set<std::uint32_t> beyond;  // starts of segments that came early
        int idle = 0;
        for (int step = 0; step < 20'000 && has < total && idle < 200; ++step, ++idle) {
            run.now += static_cast<Time>(random() % 3) * kMs;
            if (random() % 4 == 0)
                run.proxy.inform(run.now, {1e3 * double(random() % 1'000'000), random() % 5'000'000});
            if (sent < std::min(total, edge)) {
                const auto bytes = std::min<std::uint32_t>(
                    {1 + static_cast<std::uint32_t>(random() % 1448), total - sent, edge - sent});
                run.data(first + sent, bytes);
                sent += bytes;
                idle = 0;
            } else if (random() % 8 == 0) {
                run.data(first + has, std::min<std::uint32_t>(1448, sent - has));  // again, from what is missing
            }
            for (const Packet& packet : std::exchange(run.at_client, {})) {
                const auto segment = parse(packet);
                const std::uint32_t start = segment->seq - first;
                REQUIRE(start <= total);
                REQUIRE(tests::is_sound(packet));
                if (random() % 50 != 0 && start <= has) has = std::max(has, start + segment->payload_bytes);
            }
            if (random() % 3 == 0) run.acknowledge(first + has, 3 + static_cast<std::uint32_t>(step));
            for (const Packet& packet : std::exchange(run.at_server, {})) {
                const auto segment = parse(packet);
                REQUIRE(tests::is_sound(packet));
                REQUIRE(segment->ack - first <= has);
                const std::uint64_t window = std::uint64_t{segment->window} << kScale;
                if (segment->ack - first + window > edge) idle = 0;
                edge = static_cast<std::uint32_t>(std::max<std::uint64_t>(edge, segment->ack - first + window));
            }
        }
        run.proxy.inform(run.now, {1e9, 0});
        for (int step = 0; step < 2000 && has < total; ++step) {
            run.acknowledge(first + has, 100'000 + static_cast<std::uint32_t>(step));
            const std::uint32_t bytes = std::min<std::uint32_t>(1448, total - sent);
            if (bytes > 0) run.data(first + sent, bytes);
            sent += bytes;
            run.data(first + has, std::min<std::uint32_t>(1448, sent - has));
            for (const Packet& packet : std::exchange(run.at_client, {})) {
                const auto segment = parse(packet);
                if (segment->seq - first <= has) has = std::max(has, segment->seq - first + segment->payload_bytes);
            }
        }
        CHECK(has == total);
        run.acknowledge(first + total, 200'000);
        CHECK(run.proxy.held_bytes() == 0);
    }
}
