// milliProxy at the base station: between the server's device and both directions of the link.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/path.h"
#include "core/time.h"
#include "milliproxy.h"

namespace mmwemu {

/// Holds back what goes down, and rewrites windows of what comes up; in a cell, one proxy for each client.
///
/// It is told each client's rate and queue once an interval. It reads no clock: callers pass the time to each method,
/// and times must not fall.
class EdgeProxy {
  public:
    /// Takes what goes to the server; a window update is counted nowhere, as a delivery from before the epoch.
    using ToServer = std::function<void(Delivery)>;

    /// For as many clients as `down` leads to; pool and path must outlive it.
    EdgeProxy(const proxy::Settings& settings, std::size_t clients, PacketPool& pool, Path& down, ToServer to_server);

    EdgeProxy(const EdgeProxy&) = delete;
    EdgeProxy& operator=(const EdgeProxy&) = delete;

    /// Tell the proxies what the base station knows, if it is time, and act on it; not before the epoch.
    void inform(Time now);

    /// Take a packet that was read from the server's device.
    void from_server(Time now, PacketRef packet);

    /// Take a delivery of the uplink.
    void from_client(Time now, Delivery delivery);

    /// When to call inform() though no packet comes; kNever if that changes nothing.
    Time next() const;

    /// Bytes of payload that are held back.
    std::uint64_t held_bytes() const;

  private:
    using Proxy = proxy::MilliProxy<Delivery>;
    Delivery make(const std::vector<std::uint8_t>& bytes);
    void tell(Time of);

    proxy::Settings settings_;
    PacketPool& pool_;
    Path& down_;
    ToServer to_server_;
    Time now_ = 0;
    Time told_ = 0;  // what time the last information is of
    std::vector<Proxy> proxies_;
};

}  // namespace mmwemu
