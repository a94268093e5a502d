#include "core/per_client.h"

#include <algorithm>
#include <utility>

#include "core/headers.h"

namespace mmwemu {

namespace {

/// The last byte of a packet's source or destination address; 0 if the packet is too short for it.
std::uint8_t last_byte(const Packet& packet, bool destination) {
    const std::byte* ip = packet.data();
    const bool ip6 = packet.length >= kIp6Bytes && is_ip6(ip);
    if (!ip6 && packet.length < kIp4MinBytes) return 0;
    const std::size_t address_bytes = ip6 ? 16 : 4;
    return load8(ip + (ip6 ? kIp6Addresses : kIp4Addresses) + (destination ? 2 : 1) * address_bytes - 1);
}

}  // namespace

PerClientQueue::Client& PerClientQueue::client_of(const Packet& packet) {
    Client& client = clients_[last_byte(packet, settings_.clients == Clients::by_destination)];
    if (!client.queue) {
        QueueSettings own = settings_;
        own.clients = Clients::together;
        client.queue = make_queue(own, bins_, epoch_);
    }
    return client;
}

template <typename Work>
auto PerClientQueue::in_queue_of(Client& client, Work work) {
    const Count before = client.queue->held();
    const auto result = work(*client.queue);
    const Count after = client.queue->held();
    held_ = {held_.bytes - before.bytes + after.bytes, held_.packets - before.packets + after.packets};
    return result;
}

void PerClientQueue::push(Time now, Item item) {
    Client& client = client_of(*item.packet);
    const bool waits = in_queue_of(client, [&](Queue& queue) {
        queue.push(now, std::move(item));
        return !queue.empty();
    });
    if (waits && !client.listed) {
        client.listed = true;
        client.credit_bytes += kQuantumBytes;
        turns_.push_back(&client);
    }
}

bool PerClientQueue::pop(Time now, bool whole, Item& item) {
    while (!turns_.empty()) {
        Client& client = *turns_.front();
        if (client.queue->empty()) {
            client.listed = false;
            client.credit_bytes = std::min<std::int64_t>(client.credit_bytes, 0);  // it keeps debts, but no savings
            turns_.pop_front();
        } else if (client.credit_bytes <= 0) {
            client.credit_bytes += kQuantumBytes;
            turns_.pop_front();
            turns_.push_back(&client);
        } else if (in_queue_of(client, [&](Queue& queue) { return queue.pop(now, whole, item); })) {
            client.credit_bytes -= item.bytes();
            served_ = &client;
            return true;
        }
    }
    return false;
}

bool PerClientQueue::empty() const {
    return std::ranges::all_of(turns_, [](const Client* client) { return client->queue->empty(); });
}

void PerClientQueue::pass(const Item& item) {
    Client& client = client_of(*item.packet);
    client.queue->pass(item);
    served_ = &client;
    Queue::pass(item);
}

void PerClientQueue::left(std::uint64_t bytes, std::uint64_t packets) {
    served_->queue->left(bytes, packets);
    Queue::left(bytes, packets);
}

}  // namespace mmwemu
