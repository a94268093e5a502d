#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "core/replay.h"
#include "fuzz/bytes.h"
#include "fuzz/targets.h"
#include "system/control.h"

using namespace mmwemu;

namespace {

/// Look up a schedule at some times; each time must be in its span.
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

/// Read a replay; it must be refused or be one that the link can run.
void read_replay(std::string_view text, Bytes& bytes) {
    try {
        const Replay replay = parse_replay(text);
        const ReplaySettings& settings = replay.settings;
        REQUIRE(settings.core_delay >= 0 && settings.start_at >= 0 && settings.duration > 0);
        REQUIRE(settings.slot >= 0 && settings.slot <= kSecond);
        for (const Replay::Direction& direction : {replay.downlink, replay.uplink}) {
            look_up(direction.schedule, bytes);
            REQUIRE(std::ranges::is_sorted(direction.events, {}, &PacketEvent::number));
        }
    } catch (const std::invalid_argument& error) {
        REQUIRE(std::string_view(error.what()).starts_with("replay: "));
        REQUIRE(std::strlen(error.what()) < 512);  // it goes back in one message
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
        const std::size_t count = bytes.below(6);  // number of files
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
            }
        } catch (const std::invalid_argument&) {
            // The message was too long.
        }
    }
    Bytes times(data, size);
    read_replay({reinterpret_cast<const char*>(data), size}, times);
}
