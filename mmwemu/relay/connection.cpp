#include "connection.h"

#include <sys/epoll.h>

#include <system_error>
#include <utility>

namespace mmwemu {

namespace {

// Carried in each direction before other connections have their turn.
constexpr std::size_t kTurnBytes = 1 << 20;

}  // namespace

Connection::Connection(Fd accepted, Mode mode) {
    accepted_.socket = std::move(accepted);
    try {
        set_options(accepted_.socket);
        onwards_.socket = connect_onwards(accepted_.socket, mode);
        set_options(onwards_.socket);
    } catch (const std::system_error&) {
        reset_when_closed(accepted_.socket);
        throw;
    }
}

void Connection::note(Side side, std::uint32_t events) {
    End& one = side == Side::accepted ? accepted_ : onwards_;
    if ((events & EPOLLERR) != 0 && error_of(one.socket) != 0) failed_ = true;
    if ((events & (EPOLLIN | EPOLLHUP)) != 0) one.readable = true;
    if ((events & EPOLLOUT) != 0) one.writable = true;
    if (side == Side::onwards && one.writable) connected_ = true;
}

Connection::State Connection::carry(std::vector<char>& buffer) {
    bool more = false;
    try {
        if (!failed_ && connected_) {
            more = forth_.carry(accepted_, onwards_, buffer, kTurnBytes);
            more = back_.carry(onwards_, accepted_, buffer, kTurnBytes) || more;
        }
    } catch (const std::system_error&) {
        failed_ = true;
    }
    if (failed_) {
        reset();
        return State::over;
    }
    if (forth_.finished() && back_.finished()) return State::over;
    return more ? State::busy : State::waiting;
}

void Connection::reset() {
    reset_when_closed(accepted_.socket);
    reset_when_closed(onwards_.socket);
}

}  // namespace mmwemu
