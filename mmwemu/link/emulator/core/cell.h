// A cell: each client has a queue and the rate that it would have alone, and slots go to those with something to send.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/bins.h"
#include "core/client_bins.h"
#include "core/queue.h"
#include "core/schedule.h"
#include "core/scheduler.h"
#include "core/server.h"
#include "core/time.h"

namespace mmwemu {

/// Which address of a packet tells its client.
enum class ClientAddress { source, destination };

/// One client of a cell; `shift` is added to the pattern's time.
struct Member {
    const Schedule* schedule = nullptr;
    Time shift = 0;
};

/// The clients of a cell, in the order of the last byte of their addresses, from 1.
struct CellSettings {
    Policy policy = Policy::round_robin;
    ClientAddress address = ClientAddress::destination;
    std::vector<Member> members;
    Time slot = 125'000;
};

/// Serves clients in slots, as a base station does.
///
/// Slots lie on a grid. At the start of a slot, and when a client has nothing more to send, the scheduler chooses among
/// the clients that have something to send and a rate above 0; the chosen one has the rest of the slot. So the cell is
/// never idle while a client could send. A packet may need several slots of its client. The whole limit of a queue
/// holds for each client.
class Cell final : public Server {
  public:
    /// `origin` is the pattern's time 0, from which slots count too. The schedules must outlive the cell.
    Cell(const CellSettings& settings, Time origin, const QueueSettings& queue, Outage outage, Bins* bins,
         ClientBins client_bins, Time epoch);

    void push(Time now, PacketRef packet) override;
    bool pop(Time until, Departure& departure) override;
    Time next() override;
    std::uint64_t queue_bytes() const override { return held_bytes_; }
    std::uint32_t client_of(const Packet& packet) const override;
    double rate_bps(Time now, std::uint32_t client) override { return clients_[client].asked.at(now).rate_bps; }
    std::uint64_t queue_bytes(std::uint32_t client) const override { return clients_[client].queue->held().bytes; }
    const Span& service_at(const Departure& departure) override {
        return clients_[departure.client].service.at(departure.time);
    }
    void record(Time now) override;
    void delivered(Time time, std::uint32_t client, std::uint64_t bytes) override {
        client_bins_.delivered(time, client, bytes);
    }

  private:
    struct Client {
        Cursor arrivals, service, asked;
        std::unique_ptr<Queue> queue;
        Item served;            // its first segments are being sent; no packet: none are
        double left_bits = 0;   // of these
        double spare_bits = 0;  // left over from the last nanosecond; the next segment gets them in the same grant
        bool waits() const { return served.packet || !queue->empty(); }
    };
    static constexpr std::size_t kNobody = SIZE_MAX;

    /// Work on a client's queue, and update held_bytes_ by the difference.
    template <typename Work>
    auto in_queue_of(Client& client, Work work);
    bool grant(Time until);
    void end_grant();
    bool take(Client& client);
    void take_up(Client& client, Item item);
    void serve(Client& client);
    Time slot_end(Time time) const { return time + slot_ - (time - origin_) % slot_; }

    ClientAddress address_;
    Time slot_, origin_;
    Outage outage_;
    Bins* bins_;
    ClientBins client_bins_;
    Time epoch_;
    Scheduler scheduler_;
    std::vector<Client> clients_;
    std::vector<std::uint32_t> waiting_;  // clients with something to send, rising
    std::vector<Candidate> candidates_;
    std::uint64_t held_bytes_ = 0;
    std::uint64_t arrived_ = 0;      // segments
    Time now_;                       // service is accounted for up to here
    Time outage_to_ = 0;             // until then no waiting client has a rate
    std::size_t granted_ = kNobody;  // the client that has the cell ...
    Time granted_at_ = 0, granted_to_ = 0;
    double granted_bits_ = 0;  // ... and what it could send so far
    bool finished_ = false;    // its segments depart at now_
};

}  // namespace mmwemu
