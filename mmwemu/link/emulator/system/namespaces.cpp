#include "system/namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>

namespace mmwemu {

namespace {

[[noreturn]] void fail_namespaces(const std::string& what) {
    throw Missing("namespaces", what + ": " + std::strerror(errno));
}

/// Become root of a new user namespace in which only this user exists.
void enter_user_namespace() {
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (::unshare(CLONE_NEWUSER) < 0) fail_namespaces("unshare CLONE_NEWUSER");
    try {
        write_file("/proc/self/setgroups", "deny");
        write_file("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
        write_file("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
    } catch (const std::system_error& error) {
        throw Missing("namespaces", error.what());
    }
}

/// A map for a user namespace below this one, in which the users (or groups) of this one have the same numbers.
std::string same_numbers(const std::string& map_name) {
    std::ifstream lines("/proc/self/" + map_name);
    std::string map;
    for (std::uint64_t first, outside, count; lines >> first >> outside >> count;) {
        const std::string number = std::to_string(first);
        map += number + " " + number + " " + std::to_string(count) + "\n";
    }
    return map;
}

/// Make a user namespace and a network namespace that it owns, and hold them until the other end of `gate` is closed.
[[noreturn]] void hold_new_network(int gate) {
    int problem = ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : errno;
    if (::write(gate, &problem, sizeof problem) != sizeof problem) ::_exit(1);
    while (::read(gate, &problem, 1) < 0 && errno == EINTR) {
    }
    ::_exit(0);
}

/// Make a network whose user namespace is below this one: root of this one may do everything in it, root of that one
/// nothing elsewhere.
Fd make_network() {
    int gate[2];
    check(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, gate), "socketpair");
    Fd ours(gate[0]), theirs(gate[1]);
    const pid_t holder = ::fork();
    if (holder < 0) fail_namespaces("fork the maker of a network");
    if (holder == 0) {
        ours = Fd();
        hold_new_network(theirs.get());
    }
    theirs = Fd();
    int problem = EPIPE;
    check(::read(ours.get(), &problem, sizeof problem), "read from the maker of a network");
    errno = problem;
    if (problem != 0) fail_namespaces("unshare CLONE_NEWUSER and CLONE_NEWNET");
    const std::string proc = "/proc/" + std::to_string(holder);
    try {
        for (const char* map_name : {"uid_map", "gid_map"}) {
            write_file(proc + "/" + map_name, same_numbers(map_name));
        }
    } catch (const std::system_error& error) {
        throw Missing("namespaces", error.what());
    }
    Fd network = open_file(proc + "/ns/net", O_RDONLY);
    ours = Fd();
    check(::waitpid(holder, nullptr, 0), "waitpid");
    return network;
}

/// Be the first process: wait until mmwemu-link ends.
[[noreturn]] void be_init(const Fd& network, int lifeline, int ready) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // cannot fail with a valid signal; the lifeline also ends it
    ::prctl(PR_SET_NAME, "mmwemu-init");
    char word = '1';
    if (::setns(network.get(), CLONE_NEWNET) < 0) word = '0';
    // Containers that hide parts of /proc refuse this; the old /proc then stays, with the outer process ids.
    (void)::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
    ::signal(SIGCHLD, SIG_IGN);  // orphans are reaped by the kernel
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_IGN);
    if (::write(ready, &word, 1) != 1) ::_exit(1);
    for (int fd = 0; fd < 3; ++fd) ::close(fd);
    if (lifeline != 3) ::dup2(lifeline, 3);
    ::close_range(4, ~0U, 0);
    while (::read(3, &word, 1) < 0 && errno == EINTR) {
    }
    ::_exit(0);
}

}  // namespace

void enter_own_namespaces() {
    // Root needs no user namespace here; in one it would have no real-time scheduling.
    if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) < 0) {
        enter_user_namespace();
        if (::unshare(CLONE_NEWNS) < 0) fail_namespaces("unshare CLONE_NEWNS");
    }
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) < 0) fail_namespaces("mount / as slave");
}

void enter_new_network() {
    check(::setns(make_network().get(), CLONE_NEWNET), "setns net");
    for (const char* scope : {"all", "default"}) {
        write_sysctl(std::string("net/ipv6/conf/") + scope + "/disable_ipv6", "1");
    }
    // Networks beyond the server, and links inside this one, need forwarding.
    write_sysctl("net/ipv4/ip_forward", "1");
    write_sysctl("net/ipv4/ip_unprivileged_port_start", "0");
    write_sysctl("net/ipv4/ping_group_range", "0 0");
    // A path of 1 Gbit/s with 22 ms and a queue holds several MB; the default maximum of 6 MB, half of it overhead, is
    // too small.
    write_sysctl("net/ipv4/tcp_rmem", "4096 131072 67108864");
    write_sysctl("net/ipv4/tcp_wmem", "4096 65536 67108864");
    // Repetitions must be independent, so TCP must not remember metrics of a peer.
    write_sysctl("net/ipv4/tcp_no_metrics_save", "1");
    // A lost SYN is sent again after 1, 3, 7 s (RFC 6298, 5.5); kernels from 6.5 on would try every second.
    write_sysctl("net/ipv4/tcp_syn_linear_timeouts", "0");
}

Init::Init(const Fd& network) {
    int lifeline[2];
    int ready[2];
    check(::pipe2(lifeline, O_CLOEXEC), "pipe2");
    const Fd lifeline_end(lifeline[0]);
    lifeline_ = Fd(lifeline[1]);
    check(::pipe2(ready, O_CLOEXEC), "pipe2");
    const Fd ready_end(ready[0]);
    Fd ready_start(ready[1]);
    if (::unshare(CLONE_NEWPID) < 0) fail_namespaces("unshare CLONE_NEWPID");
    pid_ = ::fork();
    if (pid_ < 0) fail_namespaces("fork the first process");
    if (pid_ == 0) {
        lifeline_ = Fd();
        be_init(network, lifeline_end.get(), ready_start.get());
    }
    ready_start = Fd();
    char word = '0';
    check(::read(ready_end.get(), &word, 1), "read from the first process");
    if (word == '0') throw std::runtime_error("the first process could not enter the client's network namespace");
}

Init::~Init() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

}  // namespace mmwemu
