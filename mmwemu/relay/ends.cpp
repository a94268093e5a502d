#include "ends.h"

#include <linux/netfilter_ipv4.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace mmwemu {

namespace {

constexpr int kBacklog = 4096;

void switch_on(const Fd& socket, int level, int option, const char* name) {
    const int on = 1;
    check(::setsockopt(socket.get(), level, option, &on, sizeof on), std::string("setsockopt ") + name);
}

const sockaddr* generic(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

Fd tcp_socket(Mode mode) {
    Fd socket(check(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
    // Ports of others are taken over, to two destinations at once as the case may be.
    switch_on(socket, SOL_SOCKET, SO_REUSEADDR, "SO_REUSEADDR");
    if (mode == Mode::transparent) switch_on(socket, SOL_IP, IP_TRANSPARENT, "IP_TRANSPARENT");
    return socket;
}

template <typename Call>
sockaddr_in address_by(Call call, const Fd& socket, const char* name) {
    sockaddr_in address{};
    socklen_t bytes = sizeof address;
    check(call(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes), name);
    return address;
}

sockaddr_in destination_of(const Fd& accepted, Mode mode) {
    if (mode == Mode::transparent) return address_by(::getsockname, accepted, "getsockname");
    auto original = [](int fd, sockaddr* address, socklen_t* bytes) {
        return ::getsockopt(fd, SOL_IP, SO_ORIGINAL_DST, address, bytes);
    };
    return address_by(original, accepted, "getsockopt SO_ORIGINAL_DST");
}

}  // namespace

Fd listen_at(const sockaddr_in& address, Mode mode, int& port) {
    Fd socket = tcp_socket(mode);
    check(::bind(socket.get(), generic(address), sizeof address), "bind");
    check(::listen(socket.get(), kBacklog), "listen");
    port = ntohs(address_by(::getsockname, socket, "getsockname").sin_port);
    return socket;
}

Fd connect_onwards(const Fd& accepted, Mode mode) {
    const sockaddr_in destination = destination_of(accepted, mode);
    Fd socket = tcp_socket(mode);
    if (mode == Mode::transparent) {
        const sockaddr_in source = address_by(::getpeername, accepted, "getpeername");
        check(::bind(socket.get(), generic(source), sizeof source), "bind to the source");
    }
    if (::connect(socket.get(), generic(destination), sizeof destination) < 0 && errno != EINPROGRESS) fail("connect");
    return socket;
}

int error_of(const Fd& socket) {
    int error = 0;
    socklen_t bytes = sizeof error;
    check(::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes), "getsockopt SO_ERROR");
    return error;
}

void set_options(const Fd& socket) {
    switch_on(socket, IPPROTO_TCP, TCP_NODELAY, "TCP_NODELAY");
    switch_on(socket, SOL_SOCKET, SO_OOBINLINE, "SO_OOBINLINE");
}

void reset_when_closed(const Fd& socket) {
    const linger at_once{1, 0};
    check(::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), "setsockopt SO_LINGER");
}

}  // namespace mmwemu
