#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "fuzz/bytes.h"
#include "fuzz/targets.h"
#include "system/control.h"

using namespace mmwemu;

namespace {

/// Look a schedule up at some times; it must hold them.
void look_up(const Schedule& schedule, Bytes& bytes) {
    std::size_t hint = bytes.take<std::uint16_t>();
    Cursor cursor(schedule, 0);
    for (int i = 0; i < 8; ++i) {
        const auto time = static_cast<Time>(bytes.take<std::uint64_t>() >> 2);
        const Span span = schedule.at(time, hint);
        REQUIRE(span.start <= time && time < span.end);
        REQUIRE(span.rate_bps >= 0 && span.delay >= 0);
        REQUIRE(cursor.at(time).rate_bps == span.rate_bps);
    }
}

void read_message(const Message& message, Bytes& bytes) {
    try {
        if (message.text.starts_with("start ")) {
            const StartOrder order = parse_start(message.text);
            REQUIRE(order.core_delay >= 0 && order.start_at >= 0 && order.slot >= 0 && order.slot <= kSecond);
        } else {
            const LinkSchedule link = parse_schedule(message.text);
            look_up(link.down, bytes);
            look_up(link.up, bytes);
        }
    } catch (const std::invalid_argument&) {
        // What it is for.
    }
}

}  // namespace

void fuzz_messages(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    {
        ControlSocket control(ends[0]);
        const Fd parent(ends[1]);
        const std::size_t count = bytes.below(6);  // files that come along
        const auto text = bytes.take_part(bytes.take<std::uint16_t>());
        iovec part = {const_cast<std::uint8_t*>(text.data()), text.size()};
        alignas(cmsghdr) char ancillary[CMSG_SPACE(6 * sizeof(int))] = {};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        if (count > 0) {
            header.msg_control = ancillary;
            header.msg_controllen = CMSG_SPACE(count * sizeof(int));
            cmsghdr* files = CMSG_FIRSTHDR(&header);
            files->cmsg_level = SOL_SOCKET;
            files->cmsg_type = SCM_RIGHTS;
            files->cmsg_len = CMSG_LEN(count * sizeof(int));
            for (std::size_t i = 0; i < count; ++i) {
                std::memcpy(CMSG_DATA(files) + i * sizeof(int), &ends[1], sizeof(int));
            }
        }
        REQUIRE(::sendmsg(parent.get(), &header, 0) == static_cast<ssize_t>(text.size()));
        try {
            if (const std::optional<Message> message = control.receive()) {
                REQUIRE(message->text.size() <= text.size());
                REQUIRE(message->files.size() <= count);
                read_message(*message, bytes);
            }
        } catch (const std::invalid_argument&) {
            // Too long.
        }
    }
    // What did not go through a message: a schedule may be longer than one.
    const std::string text(reinterpret_cast<const char*>(data), size);
    Bytes times(data, size);
    read_message({text, {}}, times);
}
