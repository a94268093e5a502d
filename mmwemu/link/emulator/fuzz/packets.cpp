#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "core/path.h"
#include "core/segmentation.h"
#include "core/train.h"
#include "fuzz/bytes.h"
#include "fuzz/targets.h"

using namespace mmwemu;

namespace {

constexpr Time kMicrosecond = 1000;

double share(Bytes& bytes) {
    static constexpr std::array<double, 4> kShares = {0, 0, 0.1, 1};
    return kShares[bytes.below(kShares.size())];
}

Schedule make_schedule(Bytes& bytes) {
    static constexpr std::array<double, 7> kRates = {0, 1, 1e3, 1e6, 1e8, 3e9, INFINITY};
    std::vector<Step> steps;
    Time start = 0;
    const std::uint32_t count = 1 + bytes.below(6);
    for (std::uint32_t i = 0; i < count; ++i) {
        Step step{start, kRates[bytes.below(kRates.size())], bytes.below(50'000) * kMicrosecond, share(bytes)};
        if (bytes.below(2) == 1) {
            step.effects.jitter = bytes.below(10'000) * kMicrosecond;
            step.effects.duplication = share(bytes);
            step.effects.bit_error = share(bytes) / 1000;
            step.effects.reordering = share(bytes);
            step.effects.gilbert_p = share(bytes);
            step.effects.gilbert_r = share(bytes);
            step.effects.loss_bad = share(bytes);
        }
        steps.push_back(step);
        start += (10 + bytes.below(60'000)) * kMicrosecond;
    }
    return Schedule(steps, start, static_cast<End>(bytes.below(3)));
}

PathSettings make_settings(Bytes& bytes, const Schedule& schedule) {
    PathSettings settings;
    settings.core_delay = bytes.below(20'000) * kMicrosecond;
    settings.core_first = bytes.below(2) == 1;
    const std::uint32_t kind = bytes.below(15);
    settings.queue.aqm = static_cast<Aqm>(kind % 5);
    settings.queue.limit = {bytes.below(2) == 1 ? 1500 * bytes.below(1000) : 0, bytes.below(100)};
    settings.queue.ecn = bytes.below(2) == 1;
    settings.queue.seed = settings.seed = bytes.take<std::uint8_t>();
    settings.outage = static_cast<Outage>(bytes.below(2));
    settings.start_at = bytes.below(60'000) * kMicrosecond;
    settings.slot = bytes.below(3) == 0 ? bytes.below(2000) * kMicrosecond : 0;
    std::uint64_t number = 0;
    for (std::uint32_t i = bytes.below(4); i > 0; --i) {
        number += bytes.below(20) + (number == 0 ? 1 : 0);
        settings.events.push_back({number, static_cast<Action>(bytes.below(4)), bytes.below(30'000) * kMicrosecond});
    }
    if (kind >= 5) {
        if (settings.slot == 0) settings.slot = 125 * kMicrosecond;
        const auto policy = static_cast<Policy>(settings.seed % 3);
        settings.cell = {policy, kind < 10 ? ClientAddress::source : ClientAddress::destination, {}, settings.slot};
        for (std::uint64_t i = 0; i <= settings.seed % 5; ++i) {
            settings.cell->members.push_back({&schedule, static_cast<Time>(i) * 7 * kMicrosecond});
        }
    }
    return settings;
}

/// A packet as a device might hand it over: any content, with the offload fields of the kernel.
PacketRef read_packet(PacketPool& pool, Bytes& bytes) {
    const std::size_t length = bytes.below(2) == 1 ? bytes.below(1501) : bytes.below(65'535);
    PacketRef packet = pool.take(length);
    packet->vnet.flags = bytes.take<std::uint8_t>() & 1;
    packet->vnet.gso_type = bytes.take<std::uint8_t>();
    packet->vnet.gso_bytes = bytes.take<std::uint16_t>();
    packet->vnet.checksum_start = bytes.take<std::uint8_t>();
    packet->vnet.checksum_offset = bytes.below(3) == 0 ? bytes.take<std::uint8_t>() : 16;
    packet->length = static_cast<std::uint32_t>(length);
    std::memset(packet->data(), 0, length);
    const auto content = bytes.take_part(std::min<std::size_t>(length, bytes.take<std::uint8_t>()));
    std::ranges::copy(std::as_bytes(content), packet->data());
    return packet;
}

/// The far device: joins packets to trains and checks their sizes.
class Exit {
  public:
    explicit Exit(Path& path) : path_(path) {}

    void release(Time now, Bytes& bytes) {
        Delivery delivery;
        while (path_.pop(now, delivery)) {
            REQUIRE(delivery.due <= now && delivery.count > 0);
            REQUIRE(delivery.first + delivery.count <= delivery.packet->segments);
            if (train_of_.empty() || !train_.append(*delivery.packet, delivery.first, delivery.count)) {
                write();
                train_.set(*delivery.packet, delivery.first, delivery.count);
            }
            train_of_.push_back(delivery);
            if (bytes.below(16) == 1) {
                path_.lost_at_device(now, delivery);
            } else {
                path_.delivered(now, delivery);
            }
        }
        write();
    }

  private:
    void write() {
        if (train_of_.empty()) return;
        const VnetHeader vnet = train_.finish();
        std::size_t size = train_.header().size(), expected = 0;
        for (const auto& piece : train_.pieces()) size += piece.size();
        REQUIRE(size <= 65'535 + 256);
        for (const Delivery& delivery : train_of_)
            expected += delivery.packet->ip_bytes(delivery.first, delivery.count);
        const std::uint32_t segments =
            vnet.gso_type == VnetHeader::kGsoNone || vnet.gso_bytes == 0
                ? 1
                : static_cast<std::uint32_t>((size - vnet.header_bytes + vnet.gso_bytes - 1) / vnet.gso_bytes);
        // A joined packet has one header instead of one for each segment.
        if (train_.header().empty()) {
            REQUIRE(size == expected);
        } else {
            REQUIRE(size + (segments - 1) * train_.header().size() == expected);
        }
        train_of_.clear();
    }

    Path& path_;
    Train train_;
    std::vector<Delivery> train_of_;
};

}  // namespace

void fuzz_packets(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    PacketPool pool;
    std::vector<Record> records(2 * 2000);
    std::uint64_t logged = 0;
    const bool headers = bytes.below(2) == 1;
    std::optional<PacketLog> log;
    log.emplace(headers, [&](const PacketLog::Chunk& chunk) {
        REQUIRE(chunk.size() % log->record_bytes() == 0);
        logged += chunk.size() / log->record_bytes();
    });
    const bool logs = bytes.below(2) == 1;
    const Schedule schedule = make_schedule(bytes);
    const PathSettings settings = make_settings(bytes, schedule);
    Path path(schedule, settings, Bins(records, bytes.below(2), logs ? &*log : nullptr));
    Exit exit(path);
    Time now = 1'000'000'000;
    bool begun = false;
    for (int i = 0; i < 200 && !bytes.empty(); ++i) {
        now += bytes.below(20'000) * kMicrosecond;
        if (!begun && bytes.below(3) == 0) {
            path.begin(now);
            begun = true;
        }
        const PacketRef packet = read_packet(pool, bytes);
        if (!find_segments(*packet)) {
            path.lost_at_device(now, *packet);
        } else {
            (void)carries_news(*packet);
            path.push(now, packet);
        }
        if (bytes.below(2) == 1) exit.release(now, bytes);
        REQUIRE(path.next() > 0);
        if (begun) REQUIRE(path.settled(now) <= now);
    }
    for (int i = 0; i < 50; ++i) exit.release(now += kSecond / 5, bytes);
    log->flush();
    std::uint64_t ended = 0;
    for (const Record& record : records) {
        ended += record.delivered.packets;
        for (const Count& count : record.dropped) ended += count.packets;
        for (const Note note : {Note::duplicated, Note::damaged}) {
            ended += record.noted[static_cast<std::size_t>(note)].packets;
        }
        REQUIRE(record.queue_bytes <= record.queue_max_bytes && record.queue_max_bytes < 1ULL << 40);
    }
    REQUIRE(logged == (logs ? ended : 0));
}
