// The event loop of the relay.

#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "connection.h"
#include "ends.h"

struct epoll_event;

namespace mmwemu {

/// Accepts connections and carries their data, all in one thread.
class Relay {
  public:
    Relay(Fd listener, Mode mode);

    /// Serve until an error that is not one of a connection.
    [[noreturn]] void run();

  private:
    void accept_all();
    void accept_one(Fd socket);
    void watch(const Fd& socket, std::uint64_t key, std::uint32_t events);
    void pause();
    void handle(const epoll_event& event);
    void serve(std::uint64_t number);
    void remove(std::uint64_t number);

    Fd listener_;
    Mode mode_;
    Fd epoll_;
    std::uint64_t last_ = 0;
    bool paused_ = false;  // no descriptors are left: connections wait
    std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
    std::unordered_set<std::uint64_t> busy_;
    std::vector<char> buffer_;
};

}  // namespace mmwemu
