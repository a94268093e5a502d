// Programs inside the namespaces of a link or router.

#pragma once

#include <string>

namespace mmwemu {

/// What a program is root of: the network that it is in, or all namespaces of the link or router.
enum class Rights { network, all };

/// Run a program in the namespaces of the link or router `link_pid` and in the network namespace that `network_path`
/// leads to; returns its exit code.
///
/// This process stays outside and stands for the program. It forwards signals to the program and ends as the program
/// ends, by exit code or by signal; if it is killed, the program is killed.
int run_inside(int link_pid, const std::string& network_path, Rights rights, char* const argv[]);

}  // namespace mmwemu
