#include "core/packet_log.h"

#include <cstring>

#include "core/alter.h"
#include "core/path.h"
#include "tests/tcp.h"

namespace {

using namespace testing;

/// The records that the log handed over, and the start of each packet.
struct Log {
    std::vector<PacketRecord> records;
    std::vector<std::vector<std::byte>> headers;
    PacketLog log;

    explicit Log(bool with_headers)
        : log(with_headers, [this, with_headers](const PacketLog::Chunk& chunk) {
              for (std::size_t at = 0; at < chunk.size(); at += log.record_bytes()) {
                  PacketRecord& record = records.emplace_back();
                  std::memcpy(&record, &chunk[at], sizeof record);
                  const auto* header = chunk.data() + at + sizeof record;
                  if (with_headers) headers.emplace_back(header, header + record.header_bytes);
              }
          }) {}
};

TEST_CASE("Each segment has a log record with its times") {
    PacketPool pool;
    Log log(false);
    std::vector<Record> bins(100);
    const Schedule schedule = constant(12e6, 4 * kMs);  // a full packet a millisecond
    PathSettings settings;
    settings.core_delay = 10 * kMs;
    settings.core_first = true;
    settings.queue.limit.packets = 3;
    Path path(schedule, settings, Bins(bins, 0, &log.log));
    path.begin(kSecond);
    path.push(kSecond, tcp(pool, 1, 4 * 1448));
    Delivery delivery;
    while (path.pop(2 * kSecond, delivery)) path.delivered(delivery.due + 1000, delivery);
    CHECK(log.records.empty());
    log.log.flush();
    REQUIRE(log.records.size() == 4);
    const PacketRecord& dropped = log.records[0];
    CHECK(dropped.ending == Ending::queue);
    CHECK(dropped.number == 4);
    CHECK(dropped.size_bytes == 1500);
    CHECK(dropped.arrival_ns == 10 * kMs);
    CHECK(dropped.departure_ns == kNever);
    CHECK(dropped.delivered_ns == kNever);
    for (std::size_t i = 1; i < 4; ++i) {
        const PacketRecord& record = log.records[i];
        const Time departure = (10 + static_cast<Time>(i)) * kMs;
        CHECK(record.ending == Ending::delivered);
        CHECK(record.number == i);
        CHECK(record.direction == 0);
        CHECK(record.arrival_ns == 10 * kMs);
        CHECK(record.departure_ns == departure);
        CHECK(record.due_ns == departure + 4 * kMs);
        CHECK(record.delivered_ns == record.due_ns + 1000);
        CHECK(record.marked == 0);
        CHECK(record.header_bytes == 0);
    }
}

TEST_CASE("A logged header is the header of its segment") {
    PacketPool pool;
    Log log(true);
    const PacketRef packet = tcp(pool, 1000, 3 * 1448);
    packet->data()[1] = std::byte{0x03};
    log.log.add(1, {*packet, 1, 2, 7, 5}, Ending::aqm);
    const PacketRef small = plain(pool, 30);
    std::memset(small->data(), 0x11, 30);
    log.log.add(0, {*small, 0, 1, 0, 6}, Ending::device);
    log.log.flush();
    CHECK(log.records.size() == 3);
    CHECK(log.headers[0].size() == 80);
    CHECK(log.headers[2].size() == 30);
    for (std::uint32_t i = 0; i < 2; ++i) {
        const std::byte* ip = log.headers[i].data();
        CHECK(log.records[i].number == 7 + i);
        CHECK(log.records[i].marked == 1);
        CHECK(load16(ip + kIp4Length) == 1500);
        CHECK(ones_sum(ip, kIp) == 0xffff);
        CHECK(load32(ip + kIp + kTcpSequence) == 1000 + (i + 1) * 1448);
        CHECK(ip[kHeaders] == packet->data()[kHeaders + (i + 1) * 1448]);
    }
    CHECK(log.records[2].number == 0);
    CHECK(log.headers[2][29] == std::byte{0x11});
}

TEST_CASE("The counts and the log agree on how packets end") {
    PacketPool pool;
    Log log(false);
    std::vector<Record> bins(2000);
    const Effects effects{.jitter = kMs, .duplication = 0.1, .bit_error = 2e-5, .reordering = 0.1};
    const Schedule schedule({{0, 10e6, 2 * kMs, 0.1, effects}, {kSecond, 0, 0, 0}}, 2 * kSecond, End::loop);
    for (const Outage outage : {Outage::hold, Outage::drop}) {
        for (const Aqm aqm : {Aqm::drop_tail, Aqm::drop_head, Aqm::codel, Aqm::fq_codel, Aqm::pie}) {
            PathSettings settings;
            settings.core_delay = 3 * kMs;
            settings.queue = {aqm, {.packets = 200}, true, 1};
            settings.outage = outage;
            settings.seed = 1;
            std::ranges::fill(bins, Record{});
            log.records.clear();
            Path path(schedule, settings, Bins(bins, 0, &log.log));
            path.begin(0);
            Delivery delivery;
            int written = 0;
            for (Time now = 0; now < 5 * kSecond; now += kMs) {
                while (path.pop(now, delivery)) {
                    if (++written % 100 == 0) {
                        path.lost_at_device(now, delivery);
                    } else {
                        path.delivered(now, delivery);
                    }
                }
                PacketRef packet = tcp(pool, 1, now / kMs % 4 == 0 ? 5 * 1448 : 500);
                if (now / kMs % 3 == 0) packet->data()[1] = std::byte{0x02};
                path.push(now, std::move(packet));
            }
            log.log.flush();
            std::array<std::uint64_t, 8> counted{}, counted_bytes{}, logged{}, logged_bytes{};
            auto count = [&](Ending ending, const Count& value) {
                counted[static_cast<std::size_t>(ending)] += value.packets;
                counted_bytes[static_cast<std::size_t>(ending)] += value.bytes;
            };
            for (const Record& bin : bins) {
                count(Ending::delivered, bin.delivered);
                count(Ending::copied, bin.noted[static_cast<std::size_t>(Note::duplicated)]);
                count(Ending::damaged, bin.noted[static_cast<std::size_t>(Note::damaged)]);
                for (std::size_t i = 0; i < kDropCauses; ++i) {
                    count(static_cast<Ending>(static_cast<std::size_t>(Ending::queue) + i), bin.dropped[i]);
                }
            }
            for (const PacketRecord& record : log.records) {
                ++logged[static_cast<std::size_t>(record.ending)];
                logged_bytes[static_cast<std::size_t>(record.ending)] += record.size_bytes;
            }
            CHECK(counted == logged);
            CHECK(counted_bytes == logged_bytes);
            for (const Ending ending :
                 {Ending::delivered, Ending::copied, Ending::damaged, Ending::loss, Ending::device}) {
                CHECK(logged[static_cast<std::size_t>(ending)] > 10);
            }
            CHECK((outage == Outage::hold || logged[static_cast<std::size_t>(Ending::outage)] > 10));
            CHECK(logged[static_cast<std::size_t>(Ending::queue)] + logged[static_cast<std::size_t>(Ending::aqm)] > 10);
        }
    }
}

}  // namespace
