#include "system/control.h"

#include <sys/socket.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace mmwemu {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return parts;
}

template <typename Number>
Number number(std::string_view text, Number low, Number high, const std::string& where) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= low && value <= high)) {
        throw std::invalid_argument(where + ": '" + std::string(text) + "' is not a number in range");
    }
    return value;
}

template <typename Value>
Value choice(std::string_view text, std::initializer_list<std::pair<std::string_view, Value>> choices,
             const std::string& where) {
    for (const auto& [word, value] : choices) {
        if (text == word) return value;
    }
    throw std::invalid_argument(where + ": '" + std::string(text) + "' is not a choice");
}

constexpr Time kLongest = kNever / 4;

}  // namespace

LinkSchedule parse_schedule(std::string_view text) {
    const std::vector<std::string_view> lines = split(text, '\n');
    if (lines.size() < 2) throw std::invalid_argument("schedule: has no steps");
    const std::vector<std::string_view> head = split(lines[0], ' ');
    if (head.size() != 5 || head[0] != "schedule" || head[1] != "1") {
        throw std::invalid_argument("schedule: line 1: must be: schedule 1 OUTAGE END DURATION_NS");
    }
    const auto outage = choice<Outage>(head[2], {{"hold", Outage::hold}, {"drop", Outage::drop}}, "schedule: outage");
    const auto end =
        choice<End>(head[3], {{"loop", End::loop}, {"hold", End::hold}, {"stop", End::stop}}, "schedule: end");
    const Time duration = number<Time>(head[4], 1, kLongest, "schedule: duration");
    std::vector<Step> down, up;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::string where = "schedule: line " + std::to_string(i + 1);
        const std::vector<std::string_view> fields = split(lines[i], ' ');
        if (fields.size() != 7) throw std::invalid_argument(where + ": must have 7 fields");
        const Time start = number<Time>(fields[0], 0, kLongest, where);
        auto step = [&](std::size_t at) {
            return Step{start, number<double>(fields[at], 0, INFINITY, where),
                        number<Time>(fields[at + 1], 0, kLongest, where), number<double>(fields[at + 2], 0, 1, where)};
        };
        down.push_back(step(1));
        up.push_back(step(4));
    }
    return {Schedule(std::move(down), duration, end), Schedule(std::move(up), duration, end), outage};
}

StartOrder parse_start(std::string_view text) {
    const std::vector<std::string_view> fields = split(text, ' ');
    if (fields.size() != 6 || fields[0] != "start") throw std::invalid_argument("start: must have 5 values");
    StartOrder order;
    order.at_first_packet = choice<bool>(fields[1], {{"now", false}, {"first-packet", true}}, "start");
    order.core_delay = number<Time>(fields[2], 0, kLongest, "start: core delay");
    order.queue_bytes = number<std::uint64_t>(fields[3], 1, 1ULL << 40, "start: queue");
    order.start_at = number<Time>(fields[4], 0, kLongest, "start: start at");
    order.seed = number<std::uint64_t>(fields[5], 0, ~0ULL, "start: seed");
    return order;
}

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
    return message;
}

void ControlSocket::send(const std::string& text) {
    // A head process that is gone is noticed by receive().
    if (::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET) {
        fail("send control");
    }
}

}  // namespace mmwemu
