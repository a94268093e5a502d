// Network namespaces that a program gets as file descriptors, their numbers as its last arguments.

#pragma once

#include <string>
#include <vector>

#include "system/sys.h"

namespace mmwemu {

/// A descriptor of this thread's network namespace.
Fd own_network();

/// Let a program that this process becomes or starts inherit a network's descriptor; returns its number as an argument.
std::string pass_on(const Fd& network);

/// Become the program `argv` with more arguments; returns only by an exception.
[[noreturn]] void run_program(char* const argv[], std::vector<std::string> more);

/// Run `argv` in this network, with a descriptor of each of `n_network` new ones as further arguments; returns only by
/// an exception.
[[noreturn]] int run_with_networks(int n_network, char* const argv[]);

}  // namespace mmwemu
