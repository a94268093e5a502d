#include "system/control.h"

#include <sys/socket.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
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
constexpr std::size_t kStepFields = 10;

/// Rate, delay, loss, jitter, duplication, bit errors, reordering, and p, r and 1-h of the Gilbert-Elliott model.
Step parse_step(Time start, std::span<const std::string_view> fields, const std::string& where) {
    auto time = [&](std::size_t i) { return number<Time>(fields[i], 0, kLongest, where); };
    auto share = [&](std::size_t i) { return number<double>(fields[i], 0, 1, where); };
    const double rate_bps = number<double>(fields[0], 0, INFINITY, where);
    return {start, rate_bps, time(1), share(2), {time(3), share(4), share(5), share(6), share(7), share(8), share(9)}};
}

/// Number, action and delay.
PacketEvent parse_event(std::span<const std::string_view> fields, const std::string& where) {
    const auto action = choice<Action>(fields[1],
                                       {{"lose", Action::lose},
                                        {"duplicate", Action::duplicate},
                                        {"corrupt", Action::corrupt},
                                        {"delay", Action::delay}},
                                       where);
    return {number<std::uint64_t>(fields[0], 1, ~0ULL, where), action, number<Time>(fields[2], 0, kLongest, where)};
}

}  // namespace

LinkSchedule parse_schedule(std::string_view text) {
    const std::vector<std::string_view> lines = split(text, '\n');
    if (lines.size() < 2) throw std::invalid_argument("schedule: has no steps");
    const std::vector<std::string_view> head = split(lines[0], ' ');
    if (head.size() != 5 || head[0] != "schedule" || head[1] != "2") {
        throw std::invalid_argument("schedule: line 1: must be: schedule 2 OUTAGE END DURATION_NS");
    }
    const auto outage = choice<Outage>(head[2], {{"hold", Outage::hold}, {"drop", Outage::drop}}, "schedule: outage");
    const auto end =
        choice<End>(head[3], {{"loop", End::loop}, {"hold", End::hold}, {"stop", End::stop}}, "schedule: end");
    const Time duration = number<Time>(head[4], 1, kLongest, "schedule: duration");
    std::vector<Step> down, up;
    std::size_t i = 1;
    for (; i < lines.size() && !lines[i].starts_with("packet "); ++i) {
        const std::string where = "schedule: line " + std::to_string(i + 1);
        const std::vector<std::string_view> fields = split(lines[i], ' ');
        if (fields.size() != 1 + 2 * kStepFields) throw std::invalid_argument(where + ": must have 21 fields");
        const Time start = number<Time>(fields[0], 0, kLongest, where);
        const std::span<const std::string_view> values = std::span(fields).subspan(1);
        down.push_back(parse_step(start, values.first(kStepFields), where));
        up.push_back(parse_step(start, values.last(kStepFields), where));
    }
    LinkSchedule result{
        Schedule(std::move(down), duration, end), Schedule(std::move(up), duration, end), outage, {}, {}};
    for (; i < lines.size(); ++i) {
        const std::string where = "schedule: line " + std::to_string(i + 1);
        const std::vector<std::string_view> fields = split(lines[i], ' ');
        if (fields.size() != 5 || fields[0] != "packet") throw std::invalid_argument(where + ": must be a packet");
        auto& events =
            choice<bool>(fields[1], {{"down", true}, {"up", false}}, where) ? result.down_events : result.up_events;
        events.push_back(parse_event(std::span(fields).subspan(2), where));
        if (events.size() > 1 && events[events.size() - 2].number > events.back().number) {
            throw std::invalid_argument(where + ": the packets' numbers must rise");
        }
    }
    return result;
}

StartOrder parse_start(std::string_view text) {
    const std::vector<std::string_view> fields = split(text, ' ');
    if (fields.size() != 14 || fields[0] != "start") throw std::invalid_argument("start: must have 13 values");
    constexpr std::uint64_t kMost = 1ULL << 40;
    auto limit = [&](std::size_t i) {
        return Limit{number<std::uint64_t>(fields[i], 0, kMost, "start: queue bytes"),
                     number<std::uint64_t>(fields[i + 1], 0, kMost, "start: queue packets")};
    };
    StartOrder order;
    order.at_first_packet = choice<bool>(fields[1], {{"now", false}, {"first-packet", true}}, "start");
    order.core_delay = number<Time>(fields[2], 0, kLongest, "start: core delay");
    order.start_at = number<Time>(fields[3], 0, kLongest, "start: start at");
    order.seed = number<std::uint64_t>(fields[4], 0, ~0ULL, "start: seed");
    order.slot = number<Time>(fields[5], 0, kSecond, "start: slot");
    order.aqm = choice<Aqm>(fields[6],
                            {{"drop-tail", Aqm::drop_tail},
                             {"drop-head", Aqm::drop_head},
                             {"codel", Aqm::codel},
                             {"fq_codel", Aqm::fq_codel},
                             {"pie", Aqm::pie}},
                            "start: aqm");
    order.ecn = choice<bool>(fields[7], {{"0", false}, {"1", true}}, "start: ecn");
    order.down = limit(8);
    order.up = limit(10);
    order.log_headers = choice<bool>(fields[12], {{"0", false}, {"1", true}}, "start: log headers");
    order.round_robin = choice<bool>(fields[13], {{"fifo", false}, {"round-robin", true}}, "start: scheduler");
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
