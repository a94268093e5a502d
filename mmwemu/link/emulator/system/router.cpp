#include "system/router.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "system/namespaces.h"
#include "system/networks.h"

namespace mmwemu {

namespace {

[[noreturn]] void become_router(char* const argv[], const Fd& network, std::vector<std::string> more) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // cannot fail with a valid signal; the PID namespace also ends the router
    try {
        check(::setns(network.get(), CLONE_NEWNET), "setns net");
        ask_for_prompt_scheduling();
        run_program(argv, std::move(more));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mmwemu-link: error %s\n", error.what());
    }
    ::_exit(1);
}

}  // namespace

int run_router(Fd control, const Fd& parent, int n_network, char* const argv[]) {
    enter_own_namespaces();
    enter_new_network();
    const Fd router_network = own_network();
    std::vector<Fd> networks;
    for (int i = 0; i < n_network; ++i) {
        enter_new_network();
        networks.push_back(own_network());
    }
    const Init init(networks.front());
    std::vector<std::string> more{std::to_string(init.pid())};
    for (const Fd& network : networks) more.push_back(pass_on(network));
    const pid_t router = check(::fork(), "fork");
    if (router == 0) become_router(argv, router_network, std::move(more));
    control = Fd();
    const Fd router_end = open_pidfd(router), init_end = open_pidfd(init.pid());
    std::array<pollfd, 3> ends{{{router_end.get(), POLLIN, 0}, {init_end.get(), POLLIN, 0}, {parent.get(), POLLIN, 0}}};
    while (::poll(ends.data(), ends.size(), -1) < 0) {
        if (errno != EINTR) fail("poll");
    }
    if ((ends[0].revents & POLLIN) == 0) ::kill(router, SIGKILL);
    int status = 0;
    check(::waitpid(router, &status, 0), "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace mmwemu
