// A program that does not outlive its parent.

#pragma once

namespace mmwemu {

/// Become a program that is killed when its parent, a process or the thread of one, ends. Returns the exit code if that
/// is impossible.
int become_tied(int parent_pid, char* const argv[]);

}  // namespace mmwemu
