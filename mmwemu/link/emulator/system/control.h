#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/impairments.h"
#include "core/queue.h"
#include "core/schedule.h"
#include "system/sys.h"

namespace mmwemu {

/// Both directions of a pattern as Python wrote it.
struct LinkSchedule {
    Schedule down, up;
    Outage outage;
    std::vector<PacketEvent> down_events, up_events;  ///< rising by number
};

/// Read the text form; throws std::invalid_argument with the line.
LinkSchedule parse_schedule(std::string_view text);

/// `start now|first-packet core_delay_ns start_at_ns seed slot_ns DISCIPLINE ecn DOWN_BYTES DOWN_PACKETS UP_BYTES
/// UP_PACKETS log_headers fifo|round-robin`, with the schedule, the telemetry and perhaps a file for packets.
struct StartOrder {
    bool at_first_packet = false;
    Time core_delay = 0;
    Time start_at = 0;
    std::uint64_t seed = 0;
    Time slot = 0;
    Aqm aqm = Aqm::drop_tail;
    bool ecn = false;
    Limit down, up;            ///< of the queues
    bool log_headers = false;  ///< where packets are written down one by one, keep their headers too
    bool round_robin = false;  ///< each client has a queue of its own, and they take turns
};

/// Read a start message; throws std::invalid_argument.
StartOrder parse_start(std::string_view text);

/// One message and the files that came with it.
struct Message {
    std::string text;
    std::vector<Fd> files;
};

/// The socket to the parent process: one message, one answer.
class ControlSocket {
  public:
    explicit ControlSocket(int fd) : fd_(fd) {}
    int fd() const { return fd_.get(); }
    /// The next message; none when the other side is gone. Throws std::invalid_argument where it is too long.
    std::optional<Message> receive();
    void send(const std::string& text);

  private:
    Fd fd_;
};

}  // namespace mmwemu
