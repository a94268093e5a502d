// mmwemu-link: the testbed's namespaces and the link between them.
//
//   mmwemu-link testbed CONTROL_FD PARENT_PID         make a testbed; obey the messages that come by the socket
//   mmwemu-link host CONTROL_FD PARENT_PID N CMD...   make namespaces and N networks, run what connects them
//   mmwemu-link enter ENGINE_PID NETWORK CMD...       run a command inside, in the network that a path leads to

#include <arpa/inet.h>
#include <fcntl.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "system/control.h"
#include "system/engine.h"
#include "system/enter.h"
#include "system/host.h"
#include "system/sandbox.h"
#include "system/sys.h"
#include "system/tun.h"

namespace {

using namespace mmwemu;

constexpr int kExitFailed = 1, kExitUsage = 2, kExitMissing = 3;
constexpr const char* kClientAddress = "10.77.0.2";
constexpr const char* kServerAddress = "10.77.0.1";
constexpr int kServerPrefix = 16;  // the server may have a way elsewhere; the client has the link only

int usage() {
    std::fputs(
        "usage: mmwemu-link testbed CONTROL_FD PARENT_PID | host CONTROL_FD PARENT_PID N CMD..."
        " | enter ENGINE_PID NETWORK CMD...\n",
        stderr);
    return kExitUsage;
}

bool parse(std::string_view text, int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value >= 0;
}

void run_testbed(ControlSocket control, Fd parent) {
    enter_own_namespaces();
    enter_new_network();
    Tun client("client", ::inet_addr(kClientAddress), 0);
    const Fd client_network = open_file("/proc/thread-self/ns/net", O_RDONLY);
    enter_new_network();
    Tun server("server", ::inet_addr(kServerAddress), kServerPrefix);
    const Init init(client_network);
    ask_for_prompt_scheduling();
    // The client's network is that of the first process, the server's that of this one.
    control.send("ready " + std::to_string(init.pid()) + " " + kClientAddress + " " + kServerAddress);
    Engine(std::move(client), std::move(server), std::move(control), std::move(parent), open_pidfd(init.pid())).run();
}

/// Say on stderr why it ended, in words that the caller knows; gives the exit code.
template <typename Work>
int report(Work work) {
    std::string message;
    int code = kExitFailed;
    try {
        return work();
    } catch (const Missing& missing) {
        message = "missing " + missing.kind() + " " + missing.what();
        code = kExitMissing;
    } catch (const std::exception& error) {
        message = std::string("error ") + error.what();
    }
    std::fprintf(stderr, "mmwemu-link: %s\n", message.c_str());
    return code;
}

int testbed(int control_fd, int parent_pid) {
    ControlSocket control(control_fd);
    return report([&] {
        check(::fcntl(control_fd, F_SETFD, FD_CLOEXEC), "fcntl control");
        run_testbed(std::move(control), open_pidfd(parent_pid));
        return 0;
    });
}

int host_testbed(int control_fd, int parent_pid, int n_network, char* const argv[]) {
    Fd control(control_fd);
    return report([&] { return host(std::move(control), open_pidfd(parent_pid), n_network, argv); });
}

}  // namespace

int main(int argc, char* argv[]) {
    int number = 0;
    if (argc == 4 && std::string_view(argv[1]) == "testbed") {
        int parent = 0;
        return parse(argv[2], number) && parse(argv[3], parent) ? testbed(number, parent) : usage();
    }
    if (argc >= 6 && std::string_view(argv[1]) == "host") {
        int parent = 0, n_network = 0;
        const bool understood = parse(argv[2], number) && parse(argv[3], parent) && parse(argv[4], n_network);
        return understood && n_network > 0 ? host_testbed(number, parent, n_network, argv + 5) : usage();
    }
    if (argc >= 5 && std::string_view(argv[1]) == "enter" && parse(argv[2], number)) {
        try {
            return run_inside(number, argv[3], argv + 4);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "mmwemu-link: cannot enter the testbed: %s\n", error.what());
            return kExitFailed;
        }
    }
    return usage();
}
