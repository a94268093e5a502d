// Round robin over clients: a queue for each, served in turns.

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "core/queue.h"

namespace mmwemu {

/// A queue of its own for each client, served in turns of a quantum of bytes (deficit round robin, Shreedhar and
/// Varghese 1995), as a base station's scheduler serves users with equal channels.
///
/// The whole limit holds for each queue. Clients are told apart by the last byte of their address.
class PerClientQueue final : public Queue {
  public:
    static constexpr std::int64_t kQuantumBytes = 1500;

    using Queue::Queue;
    void push(Time now, Item item) override;
    bool pop(Time now, bool whole, Item& item) override;
    bool empty() const override;
    void pass(const Item& item) override;
    void left(std::uint64_t bytes, std::uint64_t packets) override;

  private:
    struct Client {
        std::unique_ptr<Queue> queue;  // none before the first packet
        std::int64_t credit_bytes = 0;
        bool listed = false;
    };
    Client& client_of(const Packet& packet);
    /// Work on a client's queue, and update held() by the difference.
    template <typename Work>
    auto in_queue_of(Client& client, Work work);

    std::array<Client, 256> clients_;
    std::deque<Client*> turns_;  // clients with queued packets, the next first
    Client* served_ = nullptr;   // the client whose segment is in service
};

}  // namespace mmwemu
