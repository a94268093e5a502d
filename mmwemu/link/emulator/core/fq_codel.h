// The AQM FQ-CoDel (RFC 8290): fair queuing by flow, with CoDel for each.

#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/codel.h"
#include "core/item_fifo.h"
#include "core/queue.h"

namespace mmwemu {

/// FQ-CoDel (RFC 8290, section 4): a FIFO with CoDel for each flow, served in turns of a quantum, new flows first.
///
/// A full queue drops from the head of the longest flow.
class FqCodelQueue final : public Queue {
  public:
    static constexpr std::size_t kFlows = 1024;          ///< RFC 8290, 5.2.4
    static constexpr std::int64_t kQuantumBytes = 1500;  ///< 5.2.3, without link-layer headers
    static constexpr int kDropBatch = 64;                ///< the most packets that are dropped at once (4.1)

    FqCodelQueue(const QueueSettings& settings, Bins* bins, Time epoch)
        : Queue(settings, bins, epoch), flows_(kFlows) {}
    void push(Time now, Item item) override;
    bool pop(Time now, bool whole, Item& item) override;
    bool empty() const override { return waiting_bytes_ == 0; }

  private:
    struct Flow {
        ItemFifo items;
        Codel codel;
        std::int64_t credit_bytes = 0;
        bool listed = false;
    };
    void drop_from_longest(Time now);

    std::vector<Flow> flows_;
    std::deque<Flow*> new_, old_;  // flows with a turn to come, the next first
    std::uint64_t waiting_bytes_ = 0;
};

}  // namespace mmwemu
