#pragma once

#include <sys/types.h>

#include "system/sys.h"
#include "system/tun.h"

namespace mmwemu {

/// Move this process into user (where needed), mount and PID namespaces of its own; throws Missing where it may not.
void enter_own_namespaces();

/// Move this process into a new network namespace, set for a testbed.
void enter_new_network();

/// The first process of the PID namespace; it ends with this process, and everything in the namespaces ends with it.
class Init {
  public:
    /// It runs in the network namespace `network`, which keeps that alive, and mounts a /proc of its own.
    explicit Init(const Fd& network);
    /// Kills it and waits until nothing of the namespace is left.
    ~Init();
    Init(const Init&) = delete;
    Init& operator=(const Init&) = delete;

    pid_t pid() const { return pid_; }

  private:
    pid_t pid_ = -1;
    Fd lifeline_;  // its other end is read by the process
};

}  // namespace mmwemu
