// mmwemu-link: network namespaces and the link between them.
//
//   mmwemu-link link CONTROL_FD PARENT_PID             make a client, a server and the link between them; answer the
//     [END END]                                        messages of the control socket. END is the client's end, then
//                                                      the server's: new|here:DEVICE:ADDRESS:PREFIX, in a new network
//                                                      or in this one, with a route to the address's network
//   mmwemu-link router CONTROL_FD PARENT_PID N CMD...  make N networks, run a command as the router between them
//   mmwemu-link networks N CMD...                      run a command with descriptors of N new networks as arguments
//   mmwemu-link enter LINK_PID NETWORK CMD...          run a command in the namespaces of a link or router, in the
//                                                      network that the path NETWORK leads to, as root of that
//                                                      network alone
//   mmwemu-link manage LINK_PID NETWORK CMD...         the same for a command of mmwemu itself, as root of all
//                                                      namespaces of the link or router
//   mmwemu-link tied PARENT_PID CMD...                 become a command that is killed when its parent ends

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "system/control.h"
#include "system/emulator.h"
#include "system/enter.h"
#include "system/namespaces.h"
#include "system/networks.h"
#include "system/router.h"
#include "system/sys.h"
#include "system/tied.h"
#include "system/tun.h"

namespace {

using namespace mmwemu;

constexpr int kExitFailed = 1, kExitUsage = 2, kExitMissing = 3;
constexpr const char* kClientEnd = "new:client:10.77.0.2:0";
constexpr const char* kServerEnd =
    "new:server:10.77.0.1:16";  // the server may have another route to elsewhere; the client has none

/// An end of the link: its device, in a new network or in the one that this process was started in.
struct LinkEnd {
    bool is_new;
    std::string name, address;
    int prefix;
};

int usage() {
    std::fputs(
        "usage: mmwemu-link link CONTROL_FD PARENT_PID [END END] | router CONTROL_FD PARENT_PID N CMD..."
        " | networks N CMD... | enter LINK_PID NETWORK CMD... | manage LINK_PID NETWORK CMD..."
        " | tied PARENT_PID CMD...\n",
        stderr);
    return kExitUsage;
}

bool parse(std::string_view text, int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value >= 0;
}

bool parse(std::string_view text, LinkEnd& end) {
    std::array<std::string_view, 4> words;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t colon = i + 1 < words.size() ? text.find(':') : text.size();
        if (colon == std::string_view::npos) return false;
        words[i] = text.substr(0, colon);
        text.remove_prefix(std::min(text.size(), colon + 1));
    }
    end = {words[0] == "new", std::string(words[1]), std::string(words[2]), 0};
    return (end.is_new || words[0] == "here") && !end.name.empty() && ::inet_addr(end.address.c_str()) != INADDR_NONE &&
           parse(words[3], end.prefix) && end.prefix <= 32;
}

/// Make an end in its network and leave this process there.
Tun make_end(const LinkEnd& end, const Fd& here) {
    if (end.is_new) {
        enter_new_network();
    } else {
        check(::setns(here.get(), CLONE_NEWNET), "setns net");
    }
    return Tun(end.name, ::inet_addr(end.address.c_str()), end.prefix);
}

void run_link(ControlSocket control, Fd parent, const LinkEnd& client_end, const LinkEnd& server_end) {
    const Fd here = own_network();
    enter_own_namespaces();
    Tun client = make_end(client_end, here);
    const Fd client_network = own_network();
    Tun server = make_end(server_end, here);
    const Init init(client_network);
    ask_for_prompt_scheduling();
    // The client's network is that of the first process, the server's that of this one.
    control.send("ready " + std::to_string(init.pid()) + " " + client_end.address + " " + server_end.address);
    Emulator(std::move(client), std::move(server), std::move(control), std::move(parent), open_pidfd(init.pid())).run();
}

/// Do some work; if it fails, say why on stderr in the words that the caller parses. Returns the exit code.
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

int link_command(int control_fd, int parent_pid, const LinkEnd& client, const LinkEnd& server) {
    ControlSocket control(control_fd);
    return report([&] {
        check(::fcntl(control_fd, F_SETFD, FD_CLOEXEC), "fcntl control");
        run_link(std::move(control), open_pidfd(parent_pid), client, server);
        return 0;
    });
}

int router_command(int control_fd, int parent_pid, int n_network, char* const argv[]) {
    Fd control(control_fd);
    return report([&] { return run_router(std::move(control), open_pidfd(parent_pid), n_network, argv); });
}

}  // namespace

int main(int argc, char* argv[]) {
    int number = 0;
    if ((argc == 4 || argc == 6) && std::string_view(argv[1]) == "link") {
        int parent = 0;
        LinkEnd client, server;
        const bool understood = parse(argv[2], number) && parse(argv[3], parent) &&
                                parse(argc == 6 ? argv[4] : kClientEnd, client) &&
                                parse(argc == 6 ? argv[5] : kServerEnd, server);
        return understood ? link_command(number, parent, client, server) : usage();
    }
    if (argc >= 4 && std::string_view(argv[1]) == "networks" && parse(argv[2], number)) {
        return report([&] { return run_with_networks(number, argv + 3); });
    }
    if (argc >= 6 && std::string_view(argv[1]) == "router") {
        int parent = 0, n_network = 0;
        const bool understood = parse(argv[2], number) && parse(argv[3], parent) && parse(argv[4], n_network);
        return understood && n_network > 0 ? router_command(number, parent, n_network, argv + 5) : usage();
    }
    const bool manages = argc >= 5 && std::string_view(argv[1]) == "manage";
    if (argc >= 5 && (manages || std::string_view(argv[1]) == "enter") && parse(argv[2], number)) {
        try {
            return run_inside(number, argv[3], manages ? Rights::all : Rights::network, argv + 4);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "mmwemu-link: cannot enter: %s\n", error.what());
            return kExitFailed;
        }
    }
    if (argc >= 4 && std::string_view(argv[1]) == "tied" && parse(argv[2], number)) {
        return become_tied(number, argv + 3);
    }
    return usage();
}
