// A rtnetlink client for devices, addresses and routes.

#pragma once

#include <cstdint>
#include <string>

#include "system/sys.h"

namespace mmwemu {

/// A rtnetlink socket of the network namespace it was opened in; it works on that namespace from anywhere.
class Netlink {
  public:
    Netlink();

    /// Bring a device up; a `queue_packets` above 0 sets the length of its transmit queue.
    void set_up(int device, std::uint32_t queue_packets = 0);
    /// Give a device an address with prefix 32, so that the kernel adds no route.
    void add_address(int device, std::uint32_t address);
    /// What TCP takes from a route for new connections. An empty `congestion_control` leaves the namespace's default;
    /// `ecn` lets TCP negotiate ECN; `initial_window` is that of congestion and of receiving, in packets, 0 for the
    /// kernel's own.
    struct Metrics {
        std::string congestion_control;
        bool ecn = false;
        std::uint32_t initial_window = 0;
    };

    /// Route the network of the first `prefix` bits of `source`, with 0 all networks, through a device.
    void set_route(int device, std::uint32_t source, int prefix, const Metrics& metrics);

  private:
    class Message;
    void request(Message& message, const std::string& what);
    Fd socket_;
    std::uint32_t sequence_ = 0;
};

}  // namespace mmwemu
