#include "system/sys.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace mmwemu {

Fd::~Fd() {
    if (fd_ >= 0) ::close(fd_);
}

Fd open_file(const std::string& path, int flags) {
    return Fd(check(::open(path.c_str(), flags | O_CLOEXEC), "open " + path));
}

void write_file(const std::string& path, const std::string& text) {
    const Fd fd = open_file(path, O_WRONLY);
    check(::write(fd.get(), text.data(), text.size()), "write " + path);
}

void write_sysctl(const std::string& name, const std::string& text) {
    std::string path = "/proc/sys/" + name;
    try {
        write_file(path, text);
    } catch (const std::system_error&) {
        // Some containers have it read-only, some kernels lack it; the link works without.
    }
}

Fd open_pidfd(int pid) {
    return Fd(check(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)), "pidfd_open " + std::to_string(pid)));
}

void ask_for_prompt_scheduling() {
    sched_param real_time{};
    real_time.sched_priority = 1;
    if (::sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &real_time) == 0) return;
    // Without that right, a short time slice also lets a process run sooner after it wakes (Linux 6.12).
    struct {
        std::uint32_t size = 48, policy = SCHED_OTHER;
        std::uint64_t flags = 0;
        std::int32_t nice = 0;
        std::uint32_t priority = 0;
        std::uint64_t runtime_ns = 100'000, deadline_ns = 0, period_ns = 0;
    } attributes;  // struct sched_attr
    (void)::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

namespace {

Time read_clock(clockid_t clock) {
    timespec now{};
    check(::clock_gettime(clock, &now), "clock_gettime");
    return static_cast<Time>(now.tv_sec) * kSecond + now.tv_nsec;
}

}  // namespace

Time monotonic_now() {
    return read_clock(CLOCK_MONOTONIC);
}

Time boottime_now() {
    return read_clock(CLOCK_BOOTTIME);
}

}  // namespace mmwemu
