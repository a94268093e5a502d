#include "system/sys.h"

#include <fcntl.h>
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
        // Read-only in some containers, absent in some kernels; the link works without.
    }
}

Fd open_pidfd(int pid) {
    return Fd(check(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)), "pidfd_open " + std::to_string(pid)));
}

Time monotonic_now() {
    timespec now{};
    check(::clock_gettime(CLOCK_MONOTONIC, &now), "clock_gettime");
    return static_cast<Time>(now.tv_sec) * kSecond + now.tv_nsec;
}

}  // namespace mmwemu
