#pragma once

#include <cstdint>
#include <string>

#include "system/sys.h"

namespace mmwemu {

/// A rtnetlink socket of the network namespace it was opened in; works on that namespace from anywhere.
class Netlink {
  public:
    Netlink();

    /// Bring a device up; a `queue_packets` above 0 is how many packets it may hold that were sent into it.
    void set_up(int device, std::uint32_t queue_packets = 0);
    /// Give a device an address, with no network round it, so that no route but our own comes with it.
    void add_address(int device, std::uint32_t address);
    /// Send what goes to the network of the first `prefix` bits of `source` through a device, with 0 everything;
    /// `congestion_control` empty leaves the namespace's default, `ecn` lets TCP ask for congestion marks.
    void set_route(int device, std::uint32_t source, int prefix, const std::string& congestion_control, bool ecn);

  private:
    class Message;
    void request(Message& message, const std::string& what);
    Fd socket_;
    std::uint32_t sequence_ = 0;
};

}  // namespace mmwemu
