// User, mount, PID and network namespaces, and the first process that keeps them alive.

#pragma once

#include <sys/types.h>

#include "system/sys.h"
#include "system/tun.h"

namespace mmwemu {

/// Move this process into its own user (if needed), mount and PID namespaces; throws Missing if that is not allowed.
void enter_own_namespaces();

/// Move this process into a new network namespace with sysctls set for measurements.
void enter_new_network();

/// The first process of the PID namespace. It ends with this process; all processes in the namespaces end with it.
class Init {
  public:
    /// Starts it in the network namespace `network`, which it keeps alive, with a /proc of its own.
    explicit Init(const Fd& network);
    /// Kills it and waits until all processes of the namespace have ended.
    ~Init();
    Init(const Init&) = delete;
    Init& operator=(const Init&) = delete;

    pid_t pid() const { return pid_; }

  private:
    pid_t pid_ = -1;
    Fd lifeline_;  // the first process reads the other end
};

}  // namespace mmwemu
