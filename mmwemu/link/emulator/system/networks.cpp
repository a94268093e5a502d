#include "system/networks.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <utility>

#include "system/namespaces.h"

namespace mmwemu {

Fd own_network() {
    return open_file("/proc/thread-self/ns/net", O_RDONLY);
}

std::string pass_on(const Fd& network) {
    check(::fcntl(network.get(), F_SETFD, 0), "fcntl network");
    return std::to_string(network.get());
}

void run_program(char* const argv[], std::vector<std::string> more) {
    std::vector<char*> words;
    for (char* const* word = argv; *word != nullptr; ++word) words.push_back(*word);
    for (std::string& word : more) words.push_back(word.data());
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    fail(std::string("run ") + words[0]);
}

int run_with_networks(int n_network, char* const argv[]) {
    const Fd here = own_network();
    std::vector<Fd> networks;
    std::vector<std::string> numbers;
    for (int i = 0; i < n_network; ++i) {
        enter_new_network();
        networks.push_back(own_network());
        numbers.push_back(pass_on(networks.back()));
    }
    check(::setns(here.get(), CLONE_NEWNET), "setns net");
    run_program(argv, std::move(numbers));
}

}  // namespace mmwemu
