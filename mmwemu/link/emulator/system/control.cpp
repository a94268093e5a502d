#include "system/control.h"

#include <sys/socket.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace mmwemu {

std::optional<Message> ControlSocket::receive() {
    std::array<char, 1024> text{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> control{};
    iovec part = {text.data(), text.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t bytes = ::recvmsg(fd_.get(), &header, MSG_CMSG_CLOEXEC);
    if (bytes < 0 && errno != ECONNRESET) fail("recvmsg control");
    if (bytes <= 0) return std::nullopt;
    Message message{std::string(text.data(), static_cast<std::size_t>(bytes)), {}};
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
            message.files.emplace_back(fd);
        }
    }
    if (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
        throw std::invalid_argument("message: too long, or too many files");
    return message;
}

void ControlSocket::send(const std::string& text) {
    // receive() notices that the parent process has ended.
    if (::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET) {
        fail("send control");
    }
}

}  // namespace mmwemu
