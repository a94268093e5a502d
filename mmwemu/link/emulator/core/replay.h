// A replay as the parent process asks for it: settings, the pattern's steps and packet events, and their text form.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/impairments.h"
#include "core/path.h"
#include "core/queue.h"
#include "core/schedule.h"
#include "core/scheduler.h"
#include "core/time.h"
#include "settings.h"

namespace mmwemu {

/// When the pattern's time starts to run.
enum class Start { first_packet, now };

/// What stands between the server's device and the link.
enum class EdgeProxyKind { none, milliproxy };

/// The options of one direction.
struct DirectionSettings {
    Aqm aqm = Aqm::drop_tail;
    Limit queue;
};

/// The options of a replay. A new one is a field here and a line in the table of replay.cpp.
struct ReplaySettings {
    Start start = Start::first_packet;
    Time start_at = 0;  ///< the pattern's time at the epoch
    Outage outage = Outage::hold;
    End end = End::loop;
    Time duration = 0;
    Time core_delay = 0;
    std::uint64_t seed = 0;
    Time slot = 0;                    ///< packets leave the bottleneck at the ends of slots; 0: at any time
    std::optional<Policy> scheduler;  ///< none: all clients share one queue and the first pattern
    bool ecn = false;
    bool packet_headers = false;  ///< the packet log keeps the start of each packet
    EdgeProxyKind edge_proxy = EdgeProxyKind::none;
    proxy::Settings milliproxy;
    DirectionSettings downlink, uplink;
};

struct Replay {
    struct Direction {
        Schedule schedule;
        std::vector<PacketEvent> events;  ///< their numbers do not fall
    };
    /// A further pattern; settings hold for all of them.
    struct Pattern {
        Schedule downlink, uplink;
    };
    /// A client of a cell.
    struct Client {
        std::size_t pattern = 0;  ///< 0 is the first, i is others[i - 1]
        Time shift = 0;           ///< added to the pattern's time
    };
    ReplaySettings settings;
    Direction downlink, uplink;
    std::vector<Pattern> others;
    std::vector<Client> clients;  ///< none without a scheduler

    /// The settings of one direction's path; with a scheduler, they refer to this replay.
    PathSettings path_settings(bool is_downlink) const;
};

/// Read a replay's text, format 1; throws std::invalid_argument with the line, the name and the value.
///
/// The text is the line `replay 1`, a line `NAME VALUE` for each option, then for each pattern the line `steps` and a
/// line for each step (`START_NS`, ten values of the downlink, ten of the uplink). With a scheduler, there follow the
/// line `clients` and a line `PATTERN SHIFT_NS` for each client, patterns counted from 0; and if there are packet
/// events, the line `packets` and a line `downlink|uplink NUMBER ACTION DELAY_NS` for each.
Replay parse_replay(std::string_view text);

}  // namespace mmwemu
