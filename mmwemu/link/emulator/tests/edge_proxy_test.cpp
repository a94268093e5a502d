#include "core/edge_proxy.h"

#include <optional>
#include <random>

#include "tests/tcp.h"

namespace {

using namespace testing;

constexpr std::uint32_t kServerStart = 1000, kClientStart = 10;
constexpr int kScale = 7;
constexpr std::uint8_t kAck = 0x10;
constexpr Time kCore = 10 * kMs;  // each way, between server and proxy

/// A packet of a connection, with timestamps; `segment` is as the kernel hands it over.
PacketRef packet(PacketPool& pool, bool to_client, std::uint32_t sequence, std::uint32_t ack, std::size_t payload,
                 std::uint16_t window, std::uint32_t value, std::uint32_t echo, std::uint8_t flags = kAck,
                 int client = 2) {
    PacketRef made = tcp(pool, sequence, payload, flags);
    std::byte* ip = made->data();
    store32(ip + kIp4Addresses, to_client ? 0x0a4d0064 : 0x0a4d0000 + static_cast<std::uint32_t>(client));
    store32(ip + kIp4Addresses + 4, to_client ? 0x0a4d0000 + static_cast<std::uint32_t>(client) : 0x0a4d0064);
    store16(ip + kIp, to_client ? 80 : 40000);
    store16(ip + kIp + 2, to_client ? 40000 : 80);
    std::byte* tcp_at = ip + kIp;
    store32(tcp_at + 8, ack);
    store16(tcp_at + 14, window);
    std::byte* options = tcp_at + 20;
    const bool syn = (flags & kSyn) != 0;
    options[0] = std::byte{8};
    options[1] = std::byte{10};
    store32(options + 2, value);
    store32(options + 6, echo);
    options[10] = std::byte{static_cast<std::uint8_t>(syn ? 3 : 1)};
    options[11] = std::byte{static_cast<std::uint8_t>(syn ? 3 : 0)};  // 0 ends the options
    if (syn) {                                                        // room for the window's scale
        ip[kIp + kTcpDataOffset] = std::byte{9 << 4};
        store16(ip + kIp4Length, kIp + 36);
        made->length = kIp + 36;
        options[12] = std::byte{kScale};
        CHECK(find_segments(*made));
    }
    return made;
}

std::uint64_t window_of(const Delivery& delivery) {
    return std::uint64_t{load16(delivery.packet->data() + kIp + 14)} << kScale;
}

std::uint64_t scaled(double bytes) {
    return static_cast<std::uint64_t>(bytes) >> kScale << kScale;
}

PathSettings core_first() {
    PathSettings settings;
    settings.core_first = true;
    return settings;
}

/// A link with a proxy, and one connection through it.
struct Run {
    explicit Run(const Schedule& schedule, proxy::Settings settings = {}, PathSettings path = core_first())
        : records(2000),
          down(schedule, path, Bins(records, 0)),
          edge(settings, path.cell ? path.cell->members.size() : 1, pool, down,
               [this](Delivery delivery) { at_server.push_back(std::move(delivery)); }) {
        down.begin(0);
        inform(0);
    }
    void inform(Time time) {
        now = time;
        edge.inform(now);
    }
    Delivery up(std::uint32_t ack, std::uint32_t value, std::uint32_t echo, std::uint8_t flags = kAck,
                std::uint32_t client = 0) {
        const std::uint32_t sequence = kClientStart + ((flags & kSyn) != 0 ? 0 : 1);
        return {now, now, packet(pool, false, sequence, ack, 0, 50'000, value, echo, flags, int(client) + 1),
                0,   1,   Kind::whole,
                0,   0,   client};
    }
    void shake_hands(std::uint32_t client = 0) {
        edge.from_client(now, up(0, 1, 0, kSyn, client));
        inform(now + 2 * kCore);
        edge.from_server(
            now, packet(pool, true, kServerStart, kClientStart + 1, 0, 60'000, 1, 1, kSyn | kAck, int(client) + 1));
        inform(now + kMs);
        edge.from_client(now, up(kServerStart + 1, 2, 1, kAck, client));
    }
    void data(std::uint32_t from, std::size_t bytes, int client = 1) {
        edge.from_server(now,
                         packet(pool, true, kServerStart + 1 + from, kClientStart + 1, bytes, 500, 5, 1, kAck, client));
    }
    void acknowledge(std::uint32_t upto, std::uint32_t client = 0) {
        edge.from_client(now, up(kServerStart + 1 + upto, 3, 1, kAck, client));
    }
    std::uint64_t told() const { return window_of(at_server.back()); }
    /// Payload bytes that came out of the link up to `time`.
    std::uint64_t arrived(Time time) {
        std::uint64_t bytes = 0;
        Delivery delivery;
        while (down.pop(time, delivery)) bytes += delivery.packet->payload_bytes(delivery.first, delivery.count);
        return bytes;
    }

    PacketPool pool;
    std::vector<Record> records;
    Path down;
    std::vector<Delivery> at_server;
    EdgeProxy edge;
    Time now = 0;
};

TEST_CASE("The window is the round trip times the rate of the schedule, also where the rate changes") {
    const Schedule schedule({{0, 8e8}, {kSecond, 8e7}}, 2 * kSecond, End::loop);
    proxy::Settings settings;
    settings.information_interval = kMs;
    Run run(schedule, settings);
    run.shake_hands();
    CHECK(run.told() == scaled(0.021 * 1e8));
    run.inform(kSecond + 1);
    run.acknowledge(0);
    CHECK(run.told() == scaled(0.021 * 1e7));
    run.inform(2 * kSecond + 1);
    run.acknowledge(0);
    CHECK(run.told() == scaled(0.021 * 1e8));
}

TEST_CASE("After a pause, information counts as old as its delay makes it") {
    const Schedule schedule({{0, 8e8}, {kSecond, 8e7}}, 2 * kSecond, End::hold);
    proxy::Settings settings;
    settings.information_interval = kMs;
    settings.information_delay = 3 * kMs;
    Run run(schedule, settings);
    run.shake_hands();
    run.inform(kSecond + 2 * kMs);  // 3 ms ago the rate was the old one
    run.acknowledge(0);
    CHECK(run.told() == scaled(0.021 * 1e8));
    run.inform(kSecond + 6 * kMs);
    run.acknowledge(0);
    CHECK(run.told() == scaled(0.021 * 1e7));
}

TEST_CASE("An unlimited rate is a window as large as the field can tell") {
    const Schedule schedule = constant(kInf);
    Run run(schedule);
    run.shake_hands();
    run.acknowledge(0);
    CHECK(run.told() == 65'535u << kScale);
}

TEST_CASE("Data ahead of the window waits before the link, whole super-packets, and none is lost") {
    const Schedule schedule = constant(8e6);
    proxy::Settings settings;
    settings.information_interval = kMs;
    Run run(schedule, settings);
    run.shake_hands();
    std::uint32_t sent = 0;
    for (int i = 0; i < 10; ++i, sent += 14'480) run.data(sent, 14'480);
    CHECK(run.edge.held_bytes() == 9 * 14'480);  // a window of 21 kB
    CHECK(run.edge.next() < run.now + 2 * kMs);
    std::uint64_t has = 0;
    for (Time time = run.now; time < 2 * kSecond && has < sent; time += kMs) {
        run.inform(time);
        const std::uint64_t more = run.arrived(time);
        has += more;
        if (more > 0) run.acknowledge(static_cast<std::uint32_t>(has));
    }
    CHECK(has == sent);
    CHECK(run.edge.held_bytes() == 0);
}

TEST_CASE("Nothing wakes up where nothing waits") {
    const Schedule schedule = constant(8e8);
    Run run(schedule);
    CHECK(run.edge.next() == kNever);
    run.shake_hands();
    run.data(0, 1448);
    CHECK(run.edge.next() == kNever);
}

TEST_CASE("A server that was stopped is told to go on; the update counts nowhere and has all checksums") {
    const Schedule schedule({{0, 0}, {kSecond, 8e8}}, 2 * kSecond, End::hold);
    proxy::Settings settings;
    settings.information_interval = kMs;
    Run run(schedule, settings);
    run.shake_hands();
    run.acknowledge(0);
    CHECK(run.told() == 0);
    const std::size_t before = run.at_server.size();
    run.inform(run.edge.next());
    CHECK(run.at_server.size() == before);
    run.inform(kSecond + kMs);
    REQUIRE(run.at_server.size() == before + 1);
    const Delivery& update = run.at_server.back();
    CHECK(run.told() == scaled(0.021 * 1e8));
    CHECK(update.left == kNever);
    CHECK(update.packet->vnet.flags == 0);
    const std::byte* ip = update.packet->data();
    CHECK(ones_sum(ip, kIp) == 0xffff);
    const auto tcp_bytes = static_cast<std::uint32_t>(update.packet->length - kIp);
    CHECK(ones_sum(ip + kIp, tcp_bytes, ones_sum(ip + kIp4Addresses, 8) + kProtocolTcp + tcp_bytes) == 0xffff);
    CHECK(run.edge.next() == kNever);
}

TEST_CASE("A window is rewritten in the delivery alone, and a checksum that is not complete is left alone") {
    const Schedule schedule = constant(8e8);
    Run run(schedule);
    run.shake_hands();
    // 3 segments of the client's own data, of which the first two come first.
    const PacketRef upload = packet(run.pool, false, kClientStart + 1, kServerStart + 1, 4000, 50'000, 4, 1, kAck, 1);
    REQUIRE(upload->segments == 3);
    const std::uint16_t checksum = load16(upload->data() + kIp + kTcpChecksum);
    run.edge.from_client(run.now, {run.now, run.now, upload, 0, 2});
    const Delivery first = run.at_server.back();
    CHECK(window_of(first) == scaled(0.021 * 1e8));
    CHECK(first.packet->ip_bytes(first.first, first.count) == upload->ip_bytes(0, 2));
    CHECK(load16(upload->data() + kIp + 14) == 50'000);
    run.edge.from_client(run.now, {run.now, run.now, upload, 2, 1});
    const Delivery last = run.at_server.back();
    CHECK(last.packet->ip_bytes(last.first, last.count) == upload->ip_bytes(2, 1));
    CHECK(load32(last.packet->data() + kIp + kTcpSequence) == kClientStart + 1 + 2 * 1448);
    CHECK(std::memcmp(last.packet->data() + kHeaders, upload->data() + kHeaders + 2896, 4000 - 2896) == 0);
    CHECK(load16(upload->data() + kIp + kTcpChecksum) == checksum);
}

TEST_CASE("What has wrong bits and what is not TCP passes as it is") {
    const Schedule schedule = constant(8e8);
    Run run(schedule);
    run.shake_hands();
    Delivery damaged = run.up(kServerStart + 1, 9, 1);
    damaged.kind = Kind::damaged;
    run.edge.from_client(run.now, damaged);
    CHECK(run.at_server.back().packet == damaged.packet);
    CHECK(window_of(run.at_server.back()) == 50'000u << kScale);
    const PacketRef udp = plain(run.pool, 100);
    std::memset(udp->data(), 0, 100);
    udp->data()[0] = std::byte{0x45};
    udp->data()[kIp4Protocol] = std::byte{kProtocolUdp};
    run.edge.from_client(run.now, {run.now, run.now, udp, 0, 1});
    CHECK(run.at_server.back().packet == udp);
}

TEST_CASE("In a cell, each client has a proxy that knows its rate and its queue") {
    const Schedule fast = constant(8e8), slow = constant(8e7);
    PathSettings path = core_first();
    path.slot = 500'000;
    path.cell = {Policy::round_robin, ClientAddress::destination, {{&fast}, {&slow}}, path.slot};
    proxy::Settings settings;
    settings.information_interval = kMs;
    settings.backlog_limit_bytes = 10'000;
    Run run(fast, settings, path);
    run.shake_hands(0);
    CHECK(run.told() == scaled(0.021 * 1e8));
    run.shake_hands(1);
    CHECK(run.told() == scaled(0.021 * 1e7));
    for (std::uint32_t i = 0; i < 5; ++i)
        run.data(i * 60'000, 60'000, 1);  // the first client's queue is above the limit now, the second's is empty
    run.inform(run.now + kMs);
    run.acknowledge(0, 1);
    CHECK(run.told() == scaled(0.021 * 1e7));
    run.acknowledge(0, 0);
    CHECK(run.told() < scaled(0.021 * 1e8));
}

}  // namespace
