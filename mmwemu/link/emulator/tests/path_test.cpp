#include "core/path.h"

#include "tests/helpers.h"

namespace {

using namespace testing;

PathSettings settings(bool core_first, Time core_delay = 11 * kMs) {
    PathSettings result;
    result.core_delay = core_delay;
    result.core_first = core_first;
    result.queue.limit.bytes = 1'500'000;
    result.seed = 3;
    return result;
}

std::vector<Delivery> drain(Path& path, Time until) {
    std::vector<Delivery> out;
    Delivery delivery;
    while (path.pop(until, delivery)) out.push_back(delivery);
    return out;
}

TEST_CASE("A standstill counts as lateness in the bin of its end") {
    std::vector<Record> records(100);
    const Schedule schedule = constant(12e6);
    Path path(schedule, settings(true), Bins(records, 0));
    path.stood_still(900 * kMs, 700 * kMs);  // before the epoch there is nothing to be late
    path.begin(1000 * kMs);
    path.stood_still(1025 * kMs, 300 * kMs);
    path.stood_still(1026 * kMs, 200 * kMs);
    CHECK(records[0].lateness_max_ns == 0);
    CHECK(records[4].lateness_max_ns == 300 * kMs);
}

TEST_CASE("In a cell, packets leave at the end of their slot, and no client waits for the delay of another") {
    PacketPool pool;
    std::vector<Record> records(100);
    const Schedule slow = constant(120e6, 20 * kMs), fast = constant(120e6, kMs);  // 1500 bytes take 100 us
    PathSettings of_cell = settings(true, 0);
    of_cell.slot = 250'000;
    of_cell.cell = {Policy::round_robin, ClientAddress::destination, {{&slow, 0}, {&fast, 0}}, 0};
    Path path(slow, of_cell, Bins(records, 0));
    path.begin(1000 * kMs);
    for (const std::uint32_t client : {1U, 2U}) {
        PacketRef packet = plain(pool, 1500);
        packet->data()[0] = std::byte{0x45};
        packet->data()[19] = static_cast<std::byte>(client);
        path.push(1000 * kMs, std::move(packet));
    }
    const std::vector<Delivery> out = drain(path, 2000 * kMs);
    REQUIRE(out.size() == 2);
    CHECK(out[0].client == 1);
    CHECK(out[0].due == 1001 * kMs + 250'000);
    CHECK(out[1].due == 1020 * kMs + 250'000);
    std::uint64_t reordered = 0;
    for (const Record& record : records) reordered += record.noted[static_cast<std::size_t>(Note::reordered)].packets;
    CHECK(reordered == 0);
}

TEST_CASE("Delays and service add up both ways") {
    for (bool core_first : {true, false}) {
        PacketPool pool;
        std::vector<Record> records(100);
        const Schedule schedule = constant(12e6, 4 * kMs);
        Path path(schedule, settings(core_first), Bins(records, 0));
        path.begin(1000 * kMs);
        path.push(1000 * kMs, plain(pool, 1500));
        Time now = 0;
        while (path.next() != kNever) {  // the event loop's way: go where next() says until something comes
            CHECK(path.next() > now);
            now = path.next();
            if (!drain(path, now).empty()) break;
        }
        CHECK(now == 1016 * kMs);
    }
}

TEST_CASE("The downlink meets the bottleneck after the core link, the uplink before it") {
    // An outage in [0, 10 ms) that drops: the core link of 11 ms brings the downlink past it.
    for (bool core_first : {true, false}) {
        PacketPool pool;
        std::vector<Record> records(100);
        const Schedule schedule({{0, 0, 0, 0}, {10 * kMs, 12e6, 0, 0}}, kSecond, End::hold);
        PathSettings dropping = settings(core_first);
        dropping.outage = Outage::drop;
        Path path(schedule, dropping, Bins(records, 0));
        path.begin(0);
        path.push(0, plain(pool, 1500));
        CHECK(drain(path, kSecond).size() == (core_first ? 1U : 0U));
    }
}

TEST_CASE("Before the epoch, a path is a wire with the core delay") {
    PacketPool pool;
    std::vector<Record> records(100);
    const Schedule schedule = constant(1e3);
    Path path(schedule, settings(true), Bins(records, 0));
    path.push(0, plain(pool, 1500));
    CHECK(path.next() == 11 * kMs);
    const auto out = drain(path, 11 * kMs);
    REQUIRE(out.size() == 1);
    path.delivered(11 * kMs, out[0]);
    CHECK(records[0].delivered.bytes == 0);
    CHECK(records[2].delivered.bytes == 0);
}

TEST_CASE("A shorter delay does not reorder") {
    PacketPool pool;
    std::vector<Record> records(100);
    const Schedule schedule({{0, kInf, 50 * kMs, 0}, {10 * kMs, kInf, kMs, 0}}, kSecond, End::hold);
    Path path(schedule, settings(false, 0), Bins(records, 0));
    path.begin(0);
    path.push(9 * kMs, plain(pool, 100));
    path.push(10 * kMs, plain(pool, 200));
    CHECK(drain(path, 58 * kMs).empty());
    const auto out = drain(path, 59 * kMs);
    REQUIRE(out.size() == 2);
    CHECK(out[0].packet->length == 100);
    CHECK(out[1].packet->length == 200);
}

TEST_CASE("Segments that are due together come as one delivery") {
    PacketPool pool;
    std::vector<Record> records(100);
    const Schedule schedule = constant(12e6);
    Path path(schedule, settings(false, 0), Bins(records, 0));
    path.begin(0);
    path.push(0, super(pool, 10 * 1448));
    const auto first = drain(path, 4 * kMs);
    REQUIRE(first.size() == 1);
    CHECK(first[0].first == 0);
    CHECK(first[0].count == 4);
    CHECK(first[0].due == kMs);
    const auto rest = drain(path, 20 * kMs);
    REQUIRE(rest.size() == 1);
    CHECK(rest[0].first == 4);
    CHECK(rest[0].count == 6);
    path.delivered(4 * kMs, first[0]);
    path.delivered(20 * kMs, rest[0]);
    CHECK(records[0].delivered.bytes == 6000);
    CHECK(records[0].lateness_max_ns == 3 * kMs);
    CHECK(records[4].delivered.packets == 6);
    CHECK(records[4].lateness_max_ns == 15 * kMs);
}

TEST_CASE("Loss strikes its share of the packets and repeats with its seed") {
    PacketPool pool;
    std::vector<std::uint32_t> kept[2];
    for (auto& run : kept) {
        std::vector<Record> records(1000);
        const Schedule schedule = constant(kInf, 0, 0.1);
        Path path(schedule, settings(false, 0), Bins(records, 0));
        path.begin(0);
        for (int i = 0; i < 10'000; ++i) path.push(i, plain(pool, 40 + i % 1000));
        for (const Delivery& delivery : drain(path, kSecond)) run.push_back(delivery.packet->length);
        CHECK(records[0].dropped[static_cast<int>(Drop::loss)].packets + run.size() == 10'000);
        CHECK(run.size() == Near(9000, 150));
    }
    CHECK(kept[0] == kept[1]);
}

TEST_CASE("A replay can start within the pattern and loop") {
    PacketPool pool;
    std::vector<Record> records(100);
    const Schedule schedule({{0, 12e6, 0, 0}, {500 * kMs, 1.2e6, 0, 0}}, kSecond, End::loop);
    PathSettings later_start = settings(false, 0);
    later_start.start_at = 1500 * kMs;
    Path path(schedule, later_start, Bins(records, 0));
    path.begin(0);
    path.push(0, plain(pool, 1500));
    CHECK(path.next() == 10 * kMs);
    CHECK(drain(path, 10 * kMs).size() == 1);
    path.push(500 * kMs, plain(pool, 1500));
    CHECK(path.next() == 501 * kMs);
}

TEST_CASE("The records are complete up to the oldest packet on its way") {
    PacketPool pool;
    std::vector<Record> records(100);
    const Schedule schedule = constant(12e6, 20 * kMs);
    Path path(schedule, settings(false, 0), Bins(records, 0));
    path.begin(0);
    CHECK(path.settled(5 * kMs) == 5 * kMs);
    path.push(5 * kMs, plain(pool, 1500));
    path.advance(10 * kMs);
    CHECK(path.settled(10 * kMs) == 6 * kMs);
    drain(path, 26 * kMs);
    CHECK(path.settled(26 * kMs) == 26 * kMs);
}

/// One step of some effects, unlimited and with a delay of 10 ms.
Schedule affected(Effects effects) {
    return Schedule({{0, kInf, 10 * kMs, 0, effects}}, kSecond, End::loop);
}

TEST_CASE("Jitter keeps the order") {
    PacketPool pool;
    std::vector<Record> records(1000);
    Effects effects;
    effects.jitter = 20 * kMs;  // more than the delay: a due time before departure becomes the departure
    const Schedule schedule = affected(effects);
    Path path(schedule, settings(false, 0), Bins(records, 0));
    path.begin(0);
    for (std::uint32_t i = 0; i < 1000; ++i) path.push(i * kMs, plain(pool, 40 + i));
    const auto out = drain(path, 2 * kSecond);
    REQUIRE(out.size() == 1000);
    Time last = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        CHECK(out[i].packet->length == 40 + i);
        CHECK(out[i].due >= std::max<Time>(last, i * kMs));
        CHECK((i == 0 || out[i].due <= std::max<Time>(last, (i + 30) * kMs)));
        last = out[i].due;
    }
    CHECK(records[0].noted[static_cast<int>(Note::reordered)].packets == 0);
}

TEST_CASE("A packet that overtakes skips the delay and is counted") {
    PacketPool pool;
    std::vector<Record> records(1000);
    Effects effects;
    effects.reordering = 0.25;
    const Schedule schedule = affected(effects);
    Path path(schedule, settings(false, 0), Bins(records, 0));
    path.begin(0);
    for (std::uint32_t i = 0; i < 1000; ++i) path.push(i * kMs, plain(pool, 40 + i));
    std::uint64_t early = 0, ordered = 0;
    for (const Delivery& delivery : drain(path, 2 * kSecond)) {
        const Time delay = delivery.due - (delivery.packet->length - 40) * kMs;
        CHECK((delay == 0 || delay == 10 * kMs));
        early += delay == 0;
        if (delay == 0) continue;
        CHECK(delivery.packet->length > ordered);  // the others keep their order among themselves
        ordered = delivery.packet->length;
    }
    CHECK(early == Near(250, 50));
    std::uint64_t counted = 0;
    for (std::size_t i = 0; i < records.size(); i += 2) {
        counted += records[i].noted[static_cast<int>(Note::reordered)].packets;
    }
    CHECK(counted <= early);
    CHECK(counted + 10 >= early);
}

TEST_CASE("Copies and damaged packets are counted apart from delivered ones") {
    PacketPool pool;
    std::vector<Record> records(1000);
    const Schedule schedule = affected({});
    PathSettings with_events = settings(false, 0);
    with_events.events = {{2, Action::duplicate, 0}, {3, Action::corrupt, 0}, {4, Action::lose, 0}};
    Path path(schedule, with_events, Bins(records, 0));
    path.begin(0);
    path.push(0, super(pool, 6 * 1448));
    std::uint32_t written = 0;
    for (const Delivery& delivery : drain(path, kSecond)) {
        written += delivery.count;
        path.delivered(delivery.due, delivery);
    }
    CHECK(written == 6);
    CHECK(records[0].offered.packets == 6);
    CHECK(records[0].delivered.packets == 4);
    CHECK(records[0].delivered.bytes == 6000);
    CHECK(records[0].noted[static_cast<int>(Note::duplicated)].packets == 1);
    CHECK(records[0].noted[static_cast<int>(Note::damaged)].bytes == 1500);
    CHECK(records[0].dropped[static_cast<int>(Drop::loss)].packets == 1);
}

TEST_CASE("A packet that an event delays is overtaken") {
    PacketPool pool;
    std::vector<Record> records(1000);
    const Schedule schedule = affected({});
    PathSettings with_events = settings(false, 0);
    with_events.events = {{2, Action::delay, 5 * kMs}};
    Path path(schedule, with_events, Bins(records, 0));
    path.begin(0);
    for (std::uint32_t i = 1; i <= 4; ++i) path.push(i * kMs, plain(pool, 100 * i));
    std::vector<std::pair<std::uint32_t, Time>> out;
    for (const Delivery& delivery : drain(path, kSecond)) out.emplace_back(delivery.packet->length, delivery.due);
    CHECK((out == std::vector<std::pair<std::uint32_t, Time>>{
                      {100, 11 * kMs}, {300, 13 * kMs}, {400, 14 * kMs}, {200, 17 * kMs}}));
    CHECK(records[0].noted[static_cast<int>(Note::reordered)].packets == 2);
}

TEST_CASE("With slots, packets leave at slot ends, as many as the integral allows") {
    // 96 Mbit/s: a packet takes 125 us; slots of 500 us give four at once. The pattern's time 0.1 ms is the epoch.
    PacketPool pool;
    std::vector<Record> records(100);
    const Schedule schedule = constant(96e6);
    PathSettings slotted = settings(false, 0);
    slotted.slot = kMs / 2;
    slotted.start_at = kMs / 10;
    Path path(schedule, slotted, Bins(records, 0));
    path.begin(kSecond);
    path.push(kSecond, super(pool, 16 * 1448));
    CHECK(path.next() <= kSecond + 400'000);
    std::vector<std::uint32_t> counts;
    for (int slot = 0; slot < 5; ++slot) {
        const Time end = kSecond + 400'000 + slot * kMs / 2;
        CHECK(drain(path, end - 1).empty());
        const auto out = drain(path, end);
        counts.push_back(out.size() == 1 ? out[0].count : 0);
        for (const Delivery& delivery : out) path.delivered(end, delivery);
    }
    CHECK((counts == std::vector<std::uint32_t>{3, 4, 4, 4, 1}));
    CHECK(records[0].delivered.packets == 16);
    CHECK(records[0].lateness_max_ns == 0);
}

}  // namespace
