#pragma once

namespace mmwemu {

/// Run a program inside the testbed of engine `engine_pid`, in the network namespace of process `network_pid`; gives
/// its exit code.
///
/// This process stays outside and stands for the program: signals to it go to the program, its end is the program's,
/// by exit code or by signal, and if it is killed the program is killed.
int run_inside(int engine_pid, int network_pid, char* const argv[]);

}  // namespace mmwemu
