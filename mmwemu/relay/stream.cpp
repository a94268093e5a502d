#include "stream.h"

#include <sys/socket.h>

namespace mmwemu {

std::size_t Stream::write(End& sink, const char* data, std::size_t bytes) {
    std::size_t written = 0;
    while (written < bytes && sink.writable) {
        const ssize_t count = ::send(sink.socket.get(), data + written, bytes - written, MSG_NOSIGNAL);
        if (count >= 0) {
            written += static_cast<std::size_t>(count);
        } else if (errno == EAGAIN) {
            sink.writable = false;
        } else if (errno != EINTR) {
            fail("send");
        }
    }
    return written;
}

bool Stream::flush(End& sink) {
    taken_ += write(sink, held_.data() + taken_, held_.size() - taken_);
    if (taken_ < held_.size()) return false;
    held_.clear();
    taken_ = 0;
    return true;
}

bool Stream::carry(End& source, End& sink, std::vector<char>& buffer, std::size_t budget) {
    for (std::size_t carried = 0; flush(sink) && !finished_;) {
        if (ended_) {
            check(::shutdown(sink.socket.get(), SHUT_WR), "shutdown");
            finished_ = true;
            break;
        }
        if (!source.readable) break;
        if (carried >= budget) return true;
        const ssize_t count = ::recv(source.socket.get(), buffer.data(), buffer.size(), 0);
        if (count > 0) {
            const auto bytes = static_cast<std::size_t>(count);
            const std::size_t written = write(sink, buffer.data(), bytes);
            held_.assign(buffer.data() + written, buffer.data() + bytes);
            carried += bytes;
        } else if (count == 0) {
            ended_ = true;
        } else if (errno == EAGAIN) {
            source.readable = false;
        } else if (errno != EINTR) {
            fail("recv");
        }
    }
    return false;
}

}  // namespace mmwemu
