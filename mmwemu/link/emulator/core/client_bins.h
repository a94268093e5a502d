// Telemetry of the clients of a cell: airtime, bytes and queue in bins of 10 ms.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/bins.h"
#include "core/time.h"

namespace mmwemu {

/// One bin of one client in one direction; the reader in Python knows this layout.
struct ClientRecord {
    static constexpr std::uint32_t kUnlimited = 0xffffffff;
    std::uint32_t offered_bytes;    ///< arrived at the cell
    std::uint32_t delivered_bytes;  ///< as in Record
    std::uint32_t queue_bytes;      ///< at the end of the bin
    std::uint32_t granted_bytes;    ///< the integral of the client's rate over its airtime; kUnlimited: without limit
    std::uint32_t airtime_ns;       ///< time that the client had the cell
};
static_assert(sizeof(ClientRecord) == 20);

/// The records of one direction; all times count from the epoch.
class ClientBins {
  public:
    /// `records` holds, bin by bin, all clients of both directions; `direction` is 0 or 1. It may be empty.
    ClientBins(std::span<ClientRecord> records, std::size_t direction, std::size_t clients)
        : records_(records), first_(direction * clients), clients_(clients) {}

    void offered(Time time, std::size_t client, std::uint64_t bytes) {
        at(time, client).offered_bytes += narrow(bytes);
    }
    void delivered(Time time, std::size_t client, std::uint64_t bytes) {
        at(time, client).delivered_bytes += narrow(bytes);
    }
    /// A client had the cell from `begin` to `end` and could send `bits`, which may be infinite.
    void used(Time begin, Time end, std::size_t client, double bits);

    /// Note the queues, bytes by client, at the ends of the bins that ended since the last call.
    template <typename QueueBytes>
    void queues(Time now, QueueBytes of_client) {
        const std::size_t ends = std::min(bin_of(now), records_.size() / (2 * clients_));
        for (; bin_ < ends; ++bin_) {
            for (std::size_t i = 0; i < clients_; ++i) {
                if (const std::uint64_t bytes = of_client(i)) in_bin(bin_, i).queue_bytes = narrow(bytes);
            }
        }
    }

  private:
    static std::size_t bin_of(Time time) { return time < 0 ? 0 : static_cast<std::size_t>(time / Bins::kWidth); }
    static std::uint32_t narrow(std::uint64_t bytes) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, ClientRecord::kUnlimited - 1));
    }
    ClientRecord& at(Time time, std::size_t client) { return in_bin(bin_of(time), client); }
    ClientRecord& in_bin(std::size_t bin, std::size_t client) {
        const std::size_t i = 2 * clients_ * bin + first_ + client;
        return i < records_.size() ? records_[i] : beyond_;
    }

    std::span<ClientRecord> records_;
    std::size_t first_, clients_;
    std::size_t bin_ = 0;  // the first whose end has not been noted
    ClientRecord beyond_{};
};

}  // namespace mmwemu
