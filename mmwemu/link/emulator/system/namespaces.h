// User, mount, PID and network namespaces, and the first process that keeps them alive.

#pragma once

#include <sys/types.h>

#include "system/sys.h"
#include "system/tun.h"

namespace mmwemu {

/// Move this process into its own user (if needed) and mount namespaces; throws Missing if that is not allowed.
void enter_own_namespaces();

/// Move this process into a new network namespace with sysctls set for measurements. A user namespace below this
/// process's owns it, which is for the programs in that network; throws Missing if that is not allowed.
void enter_new_network();

/// The first process of a PID namespace, in which the later children of this process are, too. It ends with this
/// process; all processes in the namespace end with it.
class Init {
  public:
    /// Starts it in the network namespace `network`, which it keeps alive, with a /proc of its own. A process can have
    /// one.
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
