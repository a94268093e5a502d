#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "core/time.h"

namespace mmwemu {

/// Something of the machine is missing; `kind` is a word the caller can match on.
class Missing : public std::runtime_error {
  public:
    Missing(std::string kind, const std::string& what) : std::runtime_error(what), kind_(std::move(kind)) {}
    const std::string& kind() const { return kind_; }

  private:
    std::string kind_;
};

/// Throw what errno says about the call `what`.
[[noreturn]] inline void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// Give the result of a system call on, or throw its error.
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
/// Write to a file of /proc/sys; where this machine does not have it or does not allow it, its value stays.
void write_sysctl(const std::string& name, const std::string& text);
/// A descriptor that becomes readable when the process ends.
Fd open_pidfd(int pid);
/// Ask the scheduler to run this process soon after it wakes; what the machine does not allow stays as it is.
void ask_for_prompt_scheduling();
/// CLOCK_MONOTONIC now.
Time monotonic_now();
/// As monotonic_now(), and while the machine was suspended it went on.
Time boottime_now();

}  // namespace mmwemu
