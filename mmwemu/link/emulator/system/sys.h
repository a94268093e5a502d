// System calls with checked results, owned file descriptors, clocks.

#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "core/time.h"

namespace mmwemu {

/// A feature of the machine is missing; `kind` is a word that the caller can match.
class Missing : public std::runtime_error {
  public:
    Missing(std::string kind, const std::string& what) : std::runtime_error(what), kind_(std::move(kind)) {}
    const std::string& kind() const { return kind_; }

  private:
    std::string kind_;
};

/// Throw errno as the error of the call `what`.
[[noreturn]] inline void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// Return the result of a system call, or throw its error.
template <typename Result>
Result check(Result result, const std::string& what) {
    if (result < 0) fail(what);
    return result;
}

/// Owns a file descriptor.
class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd();

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

  private:
    int fd_ = -1;
};

Fd open_file(const std::string& path, int flags);
/// Write to a file of /proc in one call; throws.
void write_file(const std::string& path, const std::string& text);
/// Write to a file of /proc/sys; its value stays if this machine lacks it or does not allow it.
void write_sysctl(const std::string& name, const std::string& text);
/// Open a descriptor that becomes readable when the process ends.
Fd open_pidfd(int pid);
/// Ask the scheduler to run this process soon after it wakes, as far as the machine allows it.
void ask_for_prompt_scheduling();
/// CLOCK_MONOTONIC now.
Time monotonic_now();
/// CLOCK_BOOTTIME now, which also runs while the machine is suspended.
Time boottime_now();

}  // namespace mmwemu
