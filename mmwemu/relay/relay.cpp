#include "relay.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <utility>

namespace mmwemu {

namespace {

// Keys of events: the listener's is 0, those of connection i are 2 i and 2 i + 1.
constexpr std::uint64_t kListener = 0;
constexpr int kAtOnce = 64;

std::uint64_t key_of(std::uint64_t number, Connection::Side side) {
    return 2 * number + static_cast<std::uint64_t>(side);
}

bool lacks_descriptors(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Relay::Relay(Fd listener, Mode mode)
    : listener_(std::move(listener)),
      mode_(mode),
      epoll_(check(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      buffer_(Stream::kBufferBytes) {
    watch(listener_, kListener, EPOLLIN);
}

void Relay::run() {
    std::array<epoll_event, kAtOnce> events;
    for (;;) {
        const int count = ::epoll_wait(epoll_.get(), events.data(), kAtOnce, busy_.empty() ? -1 : 0);
        if (count < 0 && errno != EINTR) fail("epoll_wait");
        for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)]);
        for (const std::uint64_t number : std::exchange(busy_, {})) serve(number);
    }
}

void Relay::handle(const epoll_event& event) {
    const std::uint64_t key = event.data.u64;
    if (key == kListener) return accept_all();
    const auto found = connections_.find(key / 2);
    if (found == connections_.end()) return;  // an earlier event of the same round has ended it
    found->second->note(static_cast<Connection::Side>(key % 2), event.events);
    busy_.insert(key / 2);
}

void Relay::serve(std::uint64_t number) {
    const Connection::State state = connections_.at(number)->carry(buffer_);
    if (state == Connection::State::busy) busy_.insert(number);
    if (state == Connection::State::over) remove(number);
}

void Relay::accept_all() {
    for (int i = 0; i < kAtOnce; ++i) {
        Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (socket) {
            accept_one(std::move(socket));
        } else if (lacks_descriptors(errno)) {
            return pause();
        } else if (errno == EAGAIN) {
            return;
        } else if (errno == EINVAL || errno == EBADF || errno == ENOTSOCK) {
            fail("accept");
        }  // else that connection has failed before it was accepted
    }
}

void Relay::accept_one(Fd socket) {
    try {
        auto connection = std::make_unique<Connection>(std::move(socket), mode_);
        const std::uint64_t number = ++last_;
        for (const auto side : {Connection::Side::accepted, Connection::Side::onwards}) {
            watch(connection->socket(side), key_of(number, side), EPOLLIN | EPOLLOUT | EPOLLET);
        }
        connections_.emplace(number, std::move(connection));
    } catch (const std::system_error&) {
        // There is no way onwards: the connection is reset.
    }
}

void Relay::watch(const Fd& socket, std::uint64_t key, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = key;
    check(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket.get(), &event), "epoll_ctl");
}

void Relay::pause() {
    if (connections_.empty()) fail("accept");
    check(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener_.get(), nullptr), "epoll_ctl");
    paused_ = true;
}

void Relay::remove(std::uint64_t number) {
    connections_.erase(number);
    if (paused_) watch(listener_, kListener, EPOLLIN);
    paused_ = false;
}

}  // namespace mmwemu
