#include "core/cell.h"

#include <array>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "core/headers.h"
#include "tests/tcp.h"

namespace {

using namespace testing;

constexpr std::array kPolicies = {Policy::round_robin, Policy::proportional_fair, Policy::max_rate};
constexpr std::array kAqms = {Aqm::drop_tail, Aqm::drop_head, Aqm::codel, Aqm::fq_codel, Aqm::pie};
constexpr Time kSlot = 125'000, kEpoch = 5000 * kSecond;

/// A packet to or from a client, counted from 0, in segments of 1448 bytes of payload.
PacketRef of(PacketPool& pool, std::size_t client, std::size_t payload_bytes,
             ClientAddress address = ClientAddress::destination) {
    PacketRef packet = tcp(pool, 1, payload_bytes);
    store32(packet->data() + kIp4Addresses + (address == ClientAddress::destination ? 4 : 0),
            0x0a4d0201U + static_cast<std::uint32_t>(client));
    return packet;
}

/// A cell with what its clients got.
struct TestCell {
    TestCell(const std::vector<Schedule>& of_clients, Policy policy, const QueueSettings& queue = {}, Time slot = kSlot,
             Outage outage = Outage::hold)
        : schedules(of_clients),
          clients(schedules.size()),
          link_records(4000),
          records(2 * clients * 2000),
          bins(link_records, 0),
          sent_bytes(clients),
          queued_bytes(clients) {
        CellSettings settings{policy, ClientAddress::destination, {}, slot};
        for (const Schedule& schedule : schedules) settings.members.push_back({&schedule, 0});
        cell = std::make_unique<Cell>(settings, kEpoch, queue, outage, &bins, ClientBins(records, 0, clients), kEpoch);
    }

    void push(Time now, std::size_t client, std::size_t payload_bytes) {
        PacketRef packet = of(pool, client, payload_bytes);
        queued_bytes[client] += packet->ip_bytes(0, packet->segments);
        cell->push(kEpoch + now, std::move(packet));
    }

    void drain(Time now) {
        Departure departure;
        while (cell->pop(kEpoch + now, departure)) {
            CHECK(departure.time >= last);
            last = departure.time;
            const std::uint32_t bytes = departure.packet->ip_bytes(departure.first, departure.count);
            sent_bytes[departure.client] += bytes;
            queued_bytes[departure.client] -= bytes;
            departures.push_back(departure);
        }
        cell->record(kEpoch + now);
    }

    /// Keep the queues of some clients full from `begin` to `end`.
    void download(Time begin, Time end, const std::function<bool(std::size_t)>& is_active = [](auto) { return true; }) {
        for (Time now = begin; now < end; now += kMs) {
            drain(now);
            for (std::size_t i = 0; i < clients; ++i) {
                while (is_active(i) && queued_bytes[i] < 600'000) push(now, i, 44 * 1448);
            }
        }
        drain(end);
    }

    Time airtime(std::size_t client) const {
        Time sum = 0;
        for (std::size_t i = client; i < records.size(); i += 2 * clients) sum += records[i].airtime_ns;
        return sum;
    }
    Time airtime() const {
        Time sum = 0;
        for (std::size_t i = 0; i < clients; ++i) sum += airtime(i);
        return sum;
    }
    std::int64_t all_sent() const { return std::accumulate(sent_bytes.begin(), sent_bytes.end(), std::int64_t{0}); }

    PacketPool pool;
    std::vector<Schedule> schedules;
    std::size_t clients;
    std::vector<Record> link_records;
    std::vector<ClientRecord> records;
    Bins bins;
    std::vector<std::int64_t> sent_bytes, queued_bytes;
    std::vector<Departure> departures;
    std::unique_ptr<Cell> cell;
    Time last = 0;
};

std::vector<Schedule> equal(std::size_t clients, double rate_bps) {
    return std::vector<Schedule>(clients, constant(rate_bps));
}

/// Steps of 5 ms at random rates from 0 to twice the mean.
Schedule fading(double mean_bps, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Step> steps;
    for (int i = 0; i < 200; ++i) {
        steps.push_back({i * 5 * kMs, mean_bps * 2 * static_cast<double>(random() % 1000) / 999, 0, 0});
    }
    return Schedule(steps, kSecond, End::loop);
}

TEST_CASE("n equal clients get a rate of 1/n each, and 1/(n-1) when one leaves") {
    for (const Policy policy : kPolicies) {
        for (const std::size_t n : {1U, 2U, 5U, 20U}) {
            TestCell cell(equal(n, 400e6), policy);
            cell.download(0, kSecond);
            for (std::size_t i = 0; i < n; ++i) {
                CHECK(cell.sent_bytes[i] == Near(50e6 / static_cast<double>(n), 0.01 * 50e6 / static_cast<double>(n)));
            }
            if (n == 1) continue;
            // The last client drains what it has and is gone.
            const auto stays = [n](std::size_t i) { return i + 1 < n; };
            cell.download(kSecond, 2 * kSecond, stays);
            const std::vector<std::int64_t> before = cell.sent_bytes;
            cell.download(2 * kSecond, 3 * kSecond, stays);
            const double share = 50e6 / static_cast<double>(n - 1);
            for (std::size_t i = 0; i + 1 < n; ++i) CHECK(cell.sent_bytes[i] - before[i] == Near(share, 0.01 * share));
            CHECK(cell.sent_bytes[n - 1] == before[n - 1]);
        }
    }
}

TEST_CASE("Unequal clients get equal airtime, so 1/n of the rate that each would have alone") {
    for (const Policy policy : {Policy::round_robin, Policy::proportional_fair}) {
        TestCell cell({constant(20e6), constant(100e6), constant(900e6)}, policy);
        cell.download(0, 2 * kSecond);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(cell.airtime(i) == Near(2 * kSecond / 3, 0.015 * 2 * kSecond / 3));
        }
        CHECK(cell.sent_bytes[0] == Near(20e6 / 8 * 2 / 3, 0.02 * 20e6 / 8 * 2 / 3));
        CHECK(cell.sent_bytes[2] == Near(900e6 / 8 * 2 / 3, 0.02 * 900e6 / 8 * 2 / 3));
    }
}

TEST_CASE("By the highest rate, the others wait until the best has nothing left") {
    TestCell cell({constant(100e6), constant(300e6), constant(200e6)}, Policy::max_rate);
    cell.download(0, kSecond);
    CHECK(cell.sent_bytes[1] == Near(300e6 / 8, 3000));
    CHECK(cell.all_sent() == cell.sent_bytes[1]);
    cell.download(kSecond, 2 * kSecond, [](std::size_t i) { return i != 1; });
    CHECK(cell.queued_bytes[1] == 0);
    CHECK(cell.sent_bytes[0] == 0);
    CHECK(cell.sent_bytes[2] > 190e6 / 8);
}

TEST_CASE("Proportional fairness gains by fading and leaves nobody out") {
    std::array<std::int64_t, 3> sums{};
    for (std::size_t k = 0; k < 3; ++k) {
        std::vector<Schedule> schedules;
        for (std::uint64_t i = 0; i < 8; ++i) schedules.push_back(fading(100e6 * (1 + static_cast<double>(i % 2)), i));
        TestCell cell(schedules, kPolicies[k]);
        cell.download(0, 4 * kSecond);
        sums[k] = cell.all_sent();
        if (kPolicies[k] == Policy::max_rate) continue;
        for (std::size_t i = 0; i < 8; ++i) CHECK(cell.airtime(i) == Near(kSecond / 2, 150 * kMs));
    }
    CHECK(sums[1] > sums[0] + sums[0] / 5);
    CHECK(sums[2] > sums[1]);
}

TEST_CASE("Slots lie on the grid, and a client has one as long as it has something to send") {
    TestCell cell({constant(100e6), constant(37e6), constant(810e6)}, Policy::round_robin);
    cell.download(0, kSecond / 5);
    for (std::size_t i = 1; i < cell.departures.size(); ++i) {
        const Departure &before = cell.departures[i - 1], &now = cell.departures[i];
        if (before.client != now.client) CHECK((before.time - 1 - kEpoch) / kSlot < (now.time - 1 - kEpoch) / kSlot);
    }
    CHECK(cell.airtime() == kSecond / 5);
}

TEST_CASE("What a client leaves of its slot is the next one's") {
    TestCell cell(equal(2, 120e6), Policy::round_robin);  // 1500 bytes take 100 us
    cell.push(0, 0, 1448);
    cell.push(0, 1, 1448);
    cell.push(0, 1, 1448);
    cell.drain(kMs);
    REQUIRE(cell.departures.size() == 3);
    CHECK(cell.departures[0].time == kEpoch + 100'000);
    CHECK(cell.departures[1].time == kEpoch + 200'000);
    CHECK(cell.departures[2].time == kEpoch + 300'000);
    CHECK(cell.departures[1].client == 1);
    CHECK(cell.airtime(0) == 100'000);
    CHECK(cell.airtime(1) == 200'000);
    CHECK(cell.cell->next() == kNever);
}

TEST_CASE("Clients without a rate are passed over, and the cell goes on when one has a rate again") {
    const Schedule late({{0, 0, 0, 0}, {300 * kMs, 80e6, 0, 0}}, kSecond, End::hold);
    TestCell cell({late, constant(80e6), late}, Policy::round_robin);
    cell.push(0, 0, 20 * 1448);
    cell.drain(20 * kMs);
    CHECK(cell.cell->next() == kEpoch + 300 * kMs);
    CHECK(cell.airtime() == 0);
    cell.download(20 * kMs, 300 * kMs, [](std::size_t i) { return i == 1; });
    CHECK(cell.sent_bytes[1] == Near(0.28 * 10e6, 1500));
    CHECK(cell.sent_bytes[0] == 0);
    CHECK(cell.records[2 * 3 * 10].queue_bytes == 20 * 1500);  // noted at the end of each bin
    cell.drain(310 * kMs);
    CHECK(cell.sent_bytes[0] == 20 * 1500);
    CHECK(cell.airtime(1) + cell.airtime(0) == 290 * kMs);
}

TEST_CASE("An outage may drop what arrives") {
    const Schedule late({{0, 0, 0, 0}, {300 * kMs, 80e6, 0, 0}}, kSecond, End::hold);
    TestCell cell({late, constant(80e6)}, Policy::round_robin, {}, kSlot, Outage::drop);
    cell.push(0, 0, 1448);
    cell.push(0, 1, 1448);
    cell.drain(kSecond);
    CHECK(cell.sent_bytes[0] == 0);
    CHECK(cell.sent_bytes[1] == 1500);
    CHECK(cell.link_records[0].dropped[static_cast<std::size_t>(Drop::outage)].packets == 1);
}

TEST_CASE("Packets of a client keep their order, and one may need several slots") {
    for (const Policy policy : kPolicies) {
        TestCell cell({constant(3e6), constant(2e6)}, policy);  // a packet takes 32 slots and more
        for (int i = 0; i < 20; ++i) {
            for (const std::size_t client : {0U, 1U}) cell.push(i * kMs, client, 1448);
        }
        cell.drain(kSecond);
        std::array<std::uint64_t, 2> last{};
        for (const Departure& departure : cell.departures) {
            CHECK(departure.number > last[departure.client]);
            last[departure.client] = departure.number;
        }
        CHECK(cell.all_sent() == 40 * 1500);
        // Whoever was served when: 20 packets of 4 ms, 20 of 6 ms, one after the other.
        CHECK(cell.last - kEpoch == Near(200 * kMs, 40));
    }
}

TEST_CASE("Whatever comes when, the cell works as long as there is work, and no longer") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 60; ++round) {
        const Policy policy = kPolicies[random() % 3];
        const std::size_t n = 1 + random() % 12;
        const Time slot = kSlot << (random() % 4);
        std::vector<Schedule> schedules;
        std::vector<double> rates_bps;
        for (std::size_t i = 0; i < n; ++i) {
            rates_bps.push_back(1e6 * static_cast<double>(1 + random() % 500));
            schedules.push_back(constant(rates_bps.back()));
        }
        TestCell cell(schedules, policy, {}, slot);
        std::vector<double> work_ns(n);
        double free_at_ns = 0;  // when a server that does the work in any order would be done with all so far
        Time now = 0;
        for (int i = 0; i < 150; ++i) {
            now += static_cast<Time>(random() % 500'000);
            if (random() % 20 == 0) now += static_cast<Time>(random() % 20'000'000);
            cell.drain(now);
            const std::size_t client = random() % n;
            const std::size_t payload_bytes = 1 + random() % 3000;
            cell.push(now, client, payload_bytes);
            const double bits =
                8.0 *
                static_cast<double>(payload_bytes + (payload_bytes > 1448 ? 52 * ((payload_bytes + 1447) / 1448) : 52));
            work_ns[client] += bits / rates_bps[client] * 1e9;
            free_at_ns = std::max(free_at_ns, static_cast<double>(now)) + bits / rates_bps[client] * 1e9;
        }
        cell.drain(now + 20 * kSecond);
        CHECK(std::ranges::all_of(cell.queued_bytes, [](auto bytes) { return bytes == 0; }));
        CHECK(cell.cell->queue_bytes() == 0);
        CHECK(cell.cell->next() == kNever);
        CHECK(cell.last - kEpoch == Near(free_at_ns, 1000));
        for (std::size_t i = 0; i < n; ++i) CHECK(cell.airtime(i) == Near(work_ns[i], 1000));
    }
}

TEST_CASE("Whatever the rates, airtime is all of the time, and bytes are the integral over it") {
    std::mt19937_64 random(8);
    for (int round = 0; round < 20; ++round) {
        const std::size_t n = 1 + random() % 8;
        std::vector<Schedule> schedules;
        for (std::size_t i = 0; i < n; ++i)
            schedules.push_back(fading(1e6 * static_cast<double>(10 + random() % 400), random()));
        TestCell cell(schedules, kPolicies[random() % 3], {}, kSlot << (random() % 4));
        cell.download(0, kSecond);
        CHECK(cell.airtime() <= kSecond);
        if (n > 2) CHECK(cell.airtime() > 0.99 * kSecond);
        for (std::size_t i = 0; i < n; ++i) {
            std::int64_t granted = 0;
            for (std::size_t k = i; k < cell.records.size(); k += 2 * n) granted += cell.records[k].granted_bytes;
            CHECK(cell.sent_bytes[i] == Near(granted, 1500 + 100));
        }
    }
}

TEST_CASE("Departures do not depend on when they are asked for") {
    for (const Policy policy : kPolicies) {
        std::vector<std::vector<Departure>> found;
        for (const Time every : {Time{7000}, kMs / 3, 50 * kMs}) {
            TestCell cell({fading(50e6, 1), fading(20e6, 2), constant(90e6)}, policy);
            std::mt19937_64 random(3);
            Time now = 0, asked = 0;
            for (int i = 0; i < 400; ++i) {
                now += static_cast<Time>(random() % 400'000);
                for (; asked < now; asked += every) cell.drain(asked);
                cell.drain(now);
                cell.push(now, random() % 3, 1 + random() % 4000);
            }
            cell.drain(10 * kSecond);
            found.push_back(cell.departures);
        }
        for (const auto& other : {found[1], found[2]}) {
            REQUIRE(other.size() == found[0].size());
            for (std::size_t i = 0; i < other.size(); ++i) {
                REQUIRE(other[i].time == found[0][i].time);
                REQUIRE(other[i].number == found[0][i].number);
            }
        }
    }
}

TEST_CASE("A shift moves a client in its pattern") {
    const Schedule half({{0, 80e6, 0, 0}, {500 * kMs, 0, 0, 0}}, kSecond, End::loop);
    PacketPool pool;
    CellSettings settings{Policy::round_robin, ClientAddress::destination, {{&half, 0}, {&half, 500 * kMs}}, kSlot};
    Cell cell(settings, kEpoch, {}, Outage::hold, nullptr, ClientBins({}, 0, 2), kEpoch);
    for (int i = 0; i < 1000; ++i) {
        for (const std::size_t client : {0U, 1U}) cell.push(kEpoch, of(pool, client, 1448));
    }
    Departure departure;
    while (cell.pop(kEpoch + 300 * kMs, departure))
        CHECK(departure.client == (departure.time < kEpoch + 500 * kMs ? 0 : 1));
}

TEST_CASE("Each client has the whole limit, found by either address") {
    for (const ClientAddress address : {ClientAddress::source, ClientAddress::destination}) {
        PacketPool pool;
        std::vector<Record> records(10);
        Bins bins(records, 0);
        const Schedule schedule = constant(1e6);
        QueueSettings queue;
        queue.limit.packets = 20;
        Cell cell({Policy::round_robin, address, {{&schedule, 0}, {&schedule, 0}}, kSlot}, kEpoch, queue, Outage::hold,
                  &bins, ClientBins({}, 0, 2), kEpoch);
        for (int i = 0; i < 50; ++i) cell.push(kEpoch, of(pool, 0, 100, address));
        for (int i = 0; i < 20; ++i) cell.push(kEpoch, of(pool, 1, 100, address));
        CHECK(cell.queue_bytes() == 40 * 152);
        CHECK(records[0].dropped[static_cast<std::size_t>(Drop::queue)].packets == 30);
    }
}

TEST_CASE("Packets of no client, or too short for an address, are the first client's") {
    PacketPool pool;
    const Schedule schedule = constant(1e6);
    Cell cell({Policy::round_robin, ClientAddress::destination, {{&schedule, 0}, {&schedule, 0}}, kSlot}, kEpoch, {},
              Outage::hold, nullptr, ClientBins({}, 0, 2), kEpoch);
    cell.push(kEpoch, plain(pool, 3));
    cell.push(kEpoch, of(pool, 2, 100));
    cell.push(kEpoch, of(pool, 254, 100));
    Departure departure;
    for (int i = 0; i < 3; ++i) {
        REQUIRE(cell.pop(kEpoch + kSecond, departure));
        CHECK(departure.client == 0);
    }
}

TEST_CASE("With every AQM, each packet is counted as delivered or dropped") {
    for (const Aqm aqm : kAqms) {
        // Slow, then without limit, so that packets pass the queue.
        const Schedule schedule({{0, 12e6, 0, 0}, {3 * kSecond, kInf, 0, 0}}, 10 * kSecond, End::hold);
        TestCell cell({schedule, schedule}, Policy::round_robin, {aqm, {100'000, 0}, false, 5});
        std::uint64_t in = 0, out = 0, dropped = 0;
        std::array<std::uint64_t, 2> slow{};
        for (Time now = 0; now < 4 * kSecond; now += kMs) {
            cell.drain(now);
            for (int i = 0; i < 4; ++i, ++in) cell.push(now, i == 3 ? 1 : 0, 1448);
        }
        cell.drain(10 * kSecond);
        for (const Departure& departure : cell.departures) {
            out += departure.count;
            if (departure.time < kEpoch + 3 * kSecond) slow[departure.client] += departure.count;
        }
        for (const Record& record : cell.link_records) {
            for (const Count& count : record.dropped) dropped += count.packets;
        }
        CHECK(in == out + dropped);
        CHECK(dropped > 3000);
        CHECK(cell.cell->queue_bytes() == 0);
        CHECK(slow[0] == Near(1500, 60));
        CHECK(slow[1] == Near(1500, 60));
    }
}

}  // namespace
