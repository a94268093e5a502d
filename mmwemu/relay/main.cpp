// mmwemu-relay: ends TCP connections that pass its network and carries their data on.
//
//   mmwemu-relay transparent|redirected ADDRESS   listen on a free port of ADDRESS, print it, serve for ever
//
// The kernel hands it connections to any destination: by TPROXY, with the destination's address (transparent), or by
// nftables' dnat (redirected). What it opens onwards has the address and port of who opened the connection, or an
// address of this network.

#include <arpa/inet.h>
#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "relay.h"

namespace {

using namespace mmwemu;

/// Allow as many descriptors as the system does.
void raise_limit() {
    rlimit limit{};
    check(::getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
    limit.rlim_cur = limit.rlim_max;
    check(::setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
}

}  // namespace

int main(int argc, char* argv[]) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    const std::string_view word = argc == 3 ? argv[1] : "";
    const bool transparent = word == "transparent";
    if ((!transparent && word != "redirected") || ::inet_pton(AF_INET, argv[2], &address.sin_addr) != 1) {
        std::fputs("usage: mmwemu-relay transparent|redirected ADDRESS\n", stderr);
        return 2;
    }
    try {
        raise_limit();
        const Mode mode = transparent ? Mode::transparent : Mode::redirected;
        int port = 0;
        Relay relay(listen_at(address, mode, port), mode);
        std::printf("%d\n", port);
        std::fflush(stdout);
        relay.run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mmwemu-relay: %s\n", error.what());
        return 1;
    }
}
