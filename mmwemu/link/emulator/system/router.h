// Namespaces for a link that a program of the parent makes: the router between the networks.

#pragma once

#include "system/sys.h"

namespace mmwemu {

/// Make namespaces with `n_network` networks and run `argv` as the router between them.
///
/// The router runs in a network of its own; its further arguments are the first process's id and a descriptor of each
/// network. The first process is in the first network, this process in the last. Only the router keeps the control
/// socket. When the router or the process `parent` ends, everything inside ends. Returns the router's exit code.
int run_router(Fd control, const Fd& parent, int n_network, char* const argv[]);

}  // namespace mmwemu
