#include "core/bins.h"

#include <algorithm>

namespace mmwemu {

Record& Bins::at(std::size_t bin) {
    const std::size_t i = 2 * bin + direction_;
    return i < records_.size() ? records_[i] : beyond_;
}

void Bins::offered(Time time, std::uint64_t bytes, std::uint64_t packets) {
    Count& count = at(bin_of(time)).offered;
    count.bytes += bytes;
    count.packets += packets;
}

void Bins::delivered(Time time, std::uint64_t bytes, std::uint64_t packets, Time lateness) {
    Record& record = at(bin_of(time));
    record.delivered.bytes += bytes;
    record.delivered.packets += packets;
    record.lateness_max_ns = std::max(record.lateness_max_ns, lateness);
}

void Bins::stood_still(Time time, Time length) {
    Record& record = at(bin_of(time));
    record.lateness_max_ns = std::max(record.lateness_max_ns, length);
}

void Bins::dropped(Time time, Drop cause, std::uint64_t bytes, std::uint64_t packets) {
    Count& count = at(bin_of(time)).dropped[static_cast<std::size_t>(cause)];
    count.bytes += bytes;
    count.packets += packets;
}

void Bins::dropped(Time time, Drop cause, const Passage& passage) {
    dropped(time, cause, passage.packet.ip_bytes(passage.first, passage.count), passage.count);
    log(passage, static_cast<Ending>(static_cast<std::size_t>(Ending::queue) + static_cast<std::size_t>(cause)));
}

void Bins::noted(Time time, Note what, std::uint64_t bytes, std::uint64_t packets) {
    Count& count = at(bin_of(time)).noted[static_cast<std::size_t>(what)];
    count.bytes += bytes;
    count.packets += packets;
}

void Bins::queue(Time time, std::uint64_t bytes) {
    const std::size_t now = std::max(bin_, bin_of(time));
    if (queue_bytes_ > 0) {
        const std::size_t last = std::min(now, records_.size() / 2);
        for (; bin_ < last; ++bin_) {
            Record& record = at(bin_);
            record.queue_bytes = queue_bytes_;
            record.backlogged = busy_since_ <= static_cast<Time>(bin_) * kWidth ? 1 : 0;
            at(bin_ + 1).queue_max_bytes = queue_bytes_;
        }
    } else if (bytes > 0) {
        busy_since_ = time;
    }
    bin_ = now;
    Record& record = at(bin_);
    record.queue_max_bytes = std::max(record.queue_max_bytes, bytes);
    queue_bytes_ = bytes;
}

}  // namespace mmwemu
