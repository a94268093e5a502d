#pragma once

#include "system/sys.h"

namespace mmwemu {

/// Make a testbed's namespaces with `n_network` networks and run `argv` as what connects them: in a network of its own,
/// with the first process's id and a descriptor of each network as further arguments. The first process is in the first
/// network, this one in the last. The control socket is the program's alone. Ends, and with it everything inside, when
/// the program or the process `parent` ends; gives the program's exit code.
int host(Fd control, const Fd& parent, int n_network, char* const argv[]);

/// Run `argv` in this network, with a descriptor of each of `n_network` new ones as further arguments; returns only by
/// an exception.
[[noreturn]] int run_with_networks(int n_network, char* const argv[]);

}  // namespace mmwemu
