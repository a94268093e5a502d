#pragma once

#include "system/sys.h"

namespace mmwemu {

/// Make a testbed's namespaces and run `argv` as what connects them: in a third network, below the first process, with
/// that process's id and descriptors of the client's and the server's network as further arguments. The control
/// socket is the program's alone. Ends, and with it everything inside, when the program or the process `parent` ends;
/// gives the program's exit code.
int host(Fd control, const Fd& parent, char* const argv[]);

}  // namespace mmwemu
