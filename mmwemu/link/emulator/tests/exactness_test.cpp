// The promises of the link in simulated time: they hold for any pattern and any times of calls.

#include "core/path.h"
#include "tests/tcp.h"

namespace {

using namespace testing;

constexpr std::uint32_t kMtuBits = 12'000;

double integral_bits(const Schedule& schedule, Time from, Time to) {
    Cursor cursor(schedule, 0);
    double bits = 0;
    while (from < to) {
        const Span& span = cursor.at(from);
        const Time end = std::min(to, span.end);
        bits += span.rate_bps * static_cast<double>(end - from) / 1e9;
        from = end;
    }
    return bits;
}

/// A packet as it was written.
struct Written {
    Time time;
    std::uint32_t bytes;
};

/// Keep a path busy for some time, calling it at random moments; returns the written packets with their due times.
std::vector<Written> saturate(const Schedule& schedule, Time slot, Time duration) {
    PacketPool pool;
    std::vector<Record> records(2 * 1000);
    PathSettings settings;
    settings.queue.limit.bytes = 3'000'000;
    settings.slot = slot;
    PacketLog each(false, [](const PacketLog::Chunk&) {});  // with it, packets come one by one
    Path path(schedule, settings, Bins(records, 0, &each));
    path.begin(0);
    std::vector<Written> out;
    Delivery delivery;
    for (Time now = 0; now < duration; now += 1 + std::rand() % (2 * kMs)) {
        while (path.pop(now, delivery)) {
            out.push_back({delivery.due, delivery.packet->ip_bytes(delivery.first, 1)});
        }
        for (int i = 0; i < 8; ++i) path.push(now, super(pool, 60'000));
    }
    return out;
}

/// In no stretch of time may more pass than the integral, one packet and a slot.
void check_never_above(const Schedule& schedule, const std::vector<Written>& out, Time slot) {
    double sum_bits = 0, lowest = 0;
    for (const Written& packet : out) {
        // The slot ends at the packet's time; its bits were sent in it.
        lowest = std::min(lowest, sum_bits - integral_bits(schedule, 0, packet.time - slot));
        sum_bits += 8.0 * packet.bytes;
        const double now_bits = sum_bits - integral_bits(schedule, 0, packet.time);
        CHECK(now_bits - lowest <= kMtuBits + 2);
    }
}

Schedule random_steps(Time step, std::size_t count, double most_bps) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < count; ++i) {
        const double rate_bps = std::rand() % 5 == 0 ? 0 : most_bps * (std::rand() % 1000) / 1000;
        steps.push_back({static_cast<Time>(i) * step, rate_bps, 0, 0});
    }
    return Schedule(steps, static_cast<Time>(count) * step, End::loop);
}

TEST_CASE("The link never exceeds the integral of the rate by more than a packet and a slot") {
    std::srand(11);
    for (const Time step : {10 * kMs, kMs, kMs / 10}) {
        for (const Time slot : {Time{0}, kMs / 8, kMs}) {
            const Schedule schedule = random_steps(step, 20, 1e9);
            check_never_above(schedule, saturate(schedule, slot, 300 * kMs), slot);
        }
    }
}

TEST_CASE("Steps of 100 us are exact") {
    // 120 and 0 Mbit/s in turns: each packet of 1500 bytes takes its 100 us, and the next 100 us are an outage.
    std::vector<Step> steps;
    for (int i = 0; i < 1000; ++i) steps.push_back({i * kMs / 10, i % 2 == 0 ? 120e6 : 0, 0, 0});
    const Schedule schedule(steps, 100 * kMs, End::hold);
    const std::vector<Written> out = saturate(schedule, 0, 100 * kMs);
    REQUIRE(out.size() > 480);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i].bytes != 1500 || i >= 40) break;
        CHECK(out[i].time == Near(static_cast<double>(i) * kMs / 5 + kMs / 10, 1));
    }
}

TEST_CASE("After any outage the first packet comes at once") {
    for (const Time outage : {10 * kMs, 100 * kMs, kSecond, 10 * kSecond}) {
        for (const Outage kind : {Outage::hold, Outage::drop}) {
            PacketPool pool;
            std::vector<Record> records(4000);
            const Time begin = 50 * kMs;
            const Schedule schedule({{0, 12e6, 0, 0}, {begin, 0, 0, 0}, {begin + outage, 12e6, 0, 0}}, 20 * kSecond,
                                    End::hold);
            PathSettings settings;
            settings.outage = kind;
            settings.queue.limit.bytes = 1'500'000;
            Path path(schedule, settings, Bins(records, 0));
            path.begin(0);
            Time first_after = kNever;
            Delivery delivery;
            for (Time now = 0; now < begin + outage + 20 * kMs; now += kMs) {
                while (path.pop(now, delivery)) {
                    if (delivery.due > begin) first_after = std::min(first_after, delivery.due);
                }
                path.push(now, plain(pool, 1500));
            }
            // The packet in service had no more than 1 ms to go, and one comes each millisecond.
            CHECK(first_after >= begin + outage);
            CHECK(first_after <= begin + outage + 2 * kMs);
        }
    }
}

TEST_CASE("A queue drains at the new rate") {
    PacketPool pool;
    std::vector<Record> records(200);
    const Schedule schedule({{0, 1e6, 0, 0}, {100 * kMs, 100e6, 0, 0}}, kSecond, End::hold);
    PathSettings settings;
    settings.queue.limit.bytes = 1'500'000;
    Path path(schedule, settings, Bins(records, 0));
    path.begin(0);
    for (int i = 0; i < 80; ++i) path.push(0, plain(pool, 1500));
    Delivery delivery;
    Time last = 0;
    while (path.pop(kSecond, delivery)) last = delivery.due;
    CHECK(last == Near(100e6 + (80 * 12'000 - 100e3) / 100e6 * 1e9, 1000));  // 8.6 ms after the step
}

TEST_CASE("Nothing is reordered while rates and delays change") {
    std::srand(13);
    for (int round = 0; round < 30; ++round) {
        for (const Aqm aqm : {Aqm::drop_tail, Aqm::drop_head, Aqm::codel, Aqm::fq_codel, Aqm::pie}) {
            PacketPool pool;
            std::vector<Record> records(1000);
            std::vector<Step> steps;
            for (int i = 0; i < 300; ++i) {
                const double rate_bps = std::rand() % 4 == 0    ? 0
                                        : std::rand() % 20 == 0 ? kInf
                                                                : 1e6 * (std::rand() % 400);
                Effects effects;
                effects.jitter = std::rand() % 2 * kMs;
                steps.push_back({i * kMs, rate_bps, std::rand() % (20 * kMs), std::rand() % 2 * 0.01, effects});
            }
            const Schedule schedule(steps, 300 * kMs, End::loop);
            PathSettings settings;
            settings.core_delay = 3 * kMs;
            settings.core_first = round % 2 == 0;
            settings.queue = {aqm, {.bytes = 200'000}, true, 1};
            settings.slot = round % 3 == 0 ? kMs / 8 : 0;
            Path path(schedule, settings, Bins(records, 0));
            path.begin(0);
            Delivery delivery;
            std::uint32_t sent = 1, next = 1;
            Time last = 0;
            for (Time now = 0; now < kSecond; now += 1 + std::rand() % kMs) {
                while (path.pop(now, delivery)) {
                    const std::byte* sequence = delivery.packet->data() + kIp + kTcpSequence;
                    const std::uint32_t first = load32(sequence) + delivery.packet->payload_offset(delivery.first);
                    CHECK(first >= next);
                    CHECK(delivery.due >= last);
                    next = first + delivery.packet->payload_bytes(delivery.first, delivery.count);
                    last = delivery.due;
                }
                const std::uint32_t payload_bytes = 200 + std::rand() % 20'000;
                PacketRef packet = tcp(pool, sent, payload_bytes);
                sent += payload_bytes;
                if (std::rand() % 2) packet->data()[1] = std::byte{0x02};
                path.push(now, std::move(packet));
            }
            CHECK(next > sent / 10);
            for (const Record& record : records) {
                CHECK(record.noted[static_cast<std::size_t>(Note::reordered)].packets == 0);
            }
        }
    }
}

}  // namespace
