#include "system/host.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "system/sandbox.h"

namespace mmwemu {

namespace {

/// Become a program, with more arguments.
[[noreturn]] void run_with(char* const argv[], std::vector<std::string>& words) {
    std::vector<char*> all;
    for (char* const* word = argv; *word != nullptr; ++word) all.push_back(*word);
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    ::execvp(all[0], all.data());
    fail(std::string("run ") + all[0]);
}

[[noreturn]] void become_head(char* const argv[], const Fd& network, std::vector<std::string> words) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // cannot fail with a valid signal; the PID namespace is there besides
    try {
        check(::setns(network.get(), CLONE_NEWNET), "setns net");
        ask_for_prompt_scheduling();
        run_with(argv, words);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mmwemu-link: error %s\n", error.what());
    }
    ::_exit(1);
}

Fd own_network() {
    return open_file("/proc/thread-self/ns/net", O_RDONLY);
}

void keep_open(const Fd& fd) {
    check(::fcntl(fd.get(), F_SETFD, 0), "fcntl network");
}

}  // namespace

int run_with_networks(int n_network, char* const argv[]) {
    const Fd here = own_network();
    std::vector<Fd> networks;
    std::vector<std::string> words;
    for (int i = 0; i < n_network; ++i) {
        enter_new_network();
        networks.push_back(own_network());
        keep_open(networks.back());
        words.push_back(std::to_string(networks.back().get()));
    }
    check(::setns(here.get(), CLONE_NEWNET), "setns net");
    run_with(argv, words);
}

int host(Fd control, const Fd& parent, int n_network, char* const argv[]) {
    enter_own_namespaces();
    enter_new_network();
    const Fd head_network = own_network();
    std::vector<Fd> networks;
    for (int i = 0; i < n_network; ++i) {
        enter_new_network();
        networks.push_back(own_network());
    }
    const Init init(networks.front());
    std::vector<std::string> words{std::to_string(init.pid())};
    for (const Fd& network : networks) {
        keep_open(network);
        words.push_back(std::to_string(network.get()));
    }
    const pid_t head = check(::fork(), "fork");
    if (head == 0) become_head(argv, head_network, std::move(words));
    control = Fd();
    const Fd head_end = open_pidfd(head), init_end = open_pidfd(init.pid());
    std::array<pollfd, 3> ends{{{head_end.get(), POLLIN, 0}, {init_end.get(), POLLIN, 0}, {parent.get(), POLLIN, 0}}};
    while (::poll(ends.data(), ends.size(), -1) < 0) {
        if (errno != EINTR) fail("poll");
    }
    if ((ends[0].revents & POLLIN) == 0) ::kill(head, SIGKILL);
    int status = 0;
    check(::waitpid(head, &status, 0), "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace mmwemu
