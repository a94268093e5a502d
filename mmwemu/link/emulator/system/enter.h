#pragma once

#include <string>

namespace mmwemu {

/// Run a program in the namespaces of the link or router `link_pid`, in the network namespace that
/// `network_path` leads to; gives its exit code.
///
/// This process stays outside and stands for the program: signals to it go to the program, its end is the program's,
/// by exit code or by signal, and if it is killed the program is killed.
int run_inside(int link_pid, const std::string& network_path, char* const argv[]);

}  // namespace mmwemu
