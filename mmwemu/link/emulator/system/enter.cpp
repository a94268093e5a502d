#include "system/enter.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "system/sys.h"

namespace mmwemu {

namespace {

constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

bool same_file(const Fd& a, const std::string& path) {
    struct stat first {
    }, second{};
    check(::fstat(a.get(), &first), "fstat namespace");
    check(::stat(path.c_str(), &second), "stat " + path);
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

void join(int link_pid, const std::string& network_path, Rights rights) {
    const std::string proc = "/proc/" + std::to_string(link_pid);
    const Fd user = open_file(proc + "/ns/user", O_RDONLY);
    const Fd mount = open_file(proc + "/ns/mnt", O_RDONLY);
    const Fd pid = open_file(proc + "/ns/pid_for_children", O_RDONLY);
    const Fd network = open_file(network_path, O_RDONLY);
    const std::string folder = std::filesystem::current_path();
    if (!same_file(user, "/proc/self/ns/user")) check(::setns(user.get(), CLONE_NEWUSER), "setns user");
    check(::setns(pid.get(), CLONE_NEWPID), "setns pid");
    check(::setns(network.get(), CLONE_NEWNET), "setns net");
    check(::setns(mount.get(), CLONE_NEWNS), "setns mnt");
    if (rights == Rights::network) {
        const Fd owner(check(::ioctl(network.get(), NS_GET_USERNS), "ioctl NS_GET_USERNS"));
        check(::setns(owner.get(), CLONE_NEWUSER), "setns user of the network");
    }
    check(::chdir(folder.c_str()), "chdir " + folder);
}

[[noreturn]] void become(char* const argv[], const sigset_t& mask) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // cannot fail with a valid signal
    if (::getppid() != 0) ::_exit(1);    // the process outside has died; while it lives its id is 0 in here
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::execvp(argv[0], argv);
    std::fprintf(stderr, "mmwemu-link: cannot run %s: %s\n", argv[0], std::strerror(errno));
    ::_exit(errno == ENOENT ? 127 : 126);
}

/// Die of the signal that the program died of, so that the caller sees it.
[[noreturn]] void die_of(int signal) {
    ::prctl(PR_SET_DUMPABLE, 0);  // no core dump of this process
    ::signal(signal, SIG_DFL);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::kill(::getpid(), signal);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::_exit(128 + signal);
}

}  // namespace

int run_inside(int link_pid, const std::string& network_path, Rights rights, char* const argv[]) {
    join(link_pid, network_path, rights);
    sigset_t handled, before;
    ::sigemptyset(&handled);
    ::sigaddset(&handled, SIGCHLD);
    for (int signal : kForwarded) ::sigaddset(&handled, signal);
    check(::sigprocmask(SIG_BLOCK, &handled, &before), "sigprocmask");
    // A shell takes the terminal. Note before it starts whether this process group must get the terminal back.
    const Fd terminal(::isatty(STDIN_FILENO) ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : -1);
    const bool foreground = terminal && ::tcgetpgrp(terminal.get()) == ::getpgrp();
    const pid_t child = check(::fork(), "fork");
    if (child == 0) become(argv, before);

    // This process must not hold the program's pipes open.
    for (int fd = 0; fd < 3; ++fd) ::close(fd);
    for (;;) {
        siginfo_t info{};
        const int signal = ::sigwaitinfo(&handled, &info);
        if (signal < 0) continue;  // EINTR
        if (signal != SIGCHLD) {
            // A terminal signals the whole foreground group, so the program has got the signal already.
            if (info.si_code != SI_KERNEL) ::kill(child, signal);
            continue;
        }
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) != child) continue;
        if (foreground) {
            ::signal(SIGTTOU, SIG_IGN);
            ::tcsetpgrp(terminal.get(), ::getpgrp());
        }
        if (WIFSIGNALED(status)) die_of(WTERMSIG(status));
        return WEXITSTATUS(status);
    }
}

}  // namespace mmwemu
