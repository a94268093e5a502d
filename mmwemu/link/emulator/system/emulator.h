// The event loop of the link between the two TUN devices and the control socket.

#pragma once

#include <memory>
#include <optional>

#include "core/edge_proxy.h"
#include "core/path.h"
#include "core/replay.h"
#include "system/control.h"
#include "system/packet_file.h"
#include "system/sys.h"
#include "system/telemetry_file.h"
#include "system/tun.h"

namespace mmwemu {

/// Moves packets between the two devices and the paths, and answers the messages of the parent process.
class Emulator {
  public:
    /// `client` and `server` are the two ends; `parent` and `init` become readable when their process ends.
    Emulator(Tun client, Tun server, ControlSocket control, Fd parent, Fd init);

    /// Run until the parent process ends; throws if a device or the first process fails.
    void run();

  private:
    /// A replay in progress.
    struct Run {
        /// Without a `packets_file` no packets are logged.
        Run(Replay replay, const Fd& telemetry, Fd packets_file);
        PacketLog* log() { return packets ? &packets->log : nullptr; }
        Time train_time;  ///< the longest time between releases when there are many
        Replay replay;
        TelemetryFile telemetry;
        std::unique_ptr<PacketFile> packets;  ///< none: no packets are logged
        Path down, up;
        std::unique_ptr<EdgeProxy> proxy;  ///< none: packets come straight from the server
        bool waiting = true;               ///< for the first packet, which starts the pattern
    };

    /// Answer the next message; false if the parent process has ended.
    bool answer_message();
    std::string answer(Message& message);
    void start(Message& message);
    void move_packets();
    void read(Tun& from, bool down);
    void discard(Tun& from);
    /// Write all packets that are due; returns their number.
    std::uint32_t release(Tun& to, Path& path);
    /// Let a delivery go out with those before it, or after them.
    void line_up(Tun& to, Path& path, Delivery delivery);
    void send(Tun& to, Path& path);
    void inform_proxy();
    void begin(Time epoch);
    void advance(Time now);
    void count_overruns(Time now);
    void arm(Time wake);
    void notice_standstill();

    PacketPool pool_;
    Tun client_, server_;
    ControlSocket control_;
    Fd parent_, init_, timer_, epoll_;
    std::unique_ptr<Run> run_;
    Train train_;
    std::vector<Delivery> train_of_;  // the deliveries in train_
    Time armed_ = kNever;
    Time may_release_ = 0;
    Time counted_ = 0;
    Time seen_ = 0;  // CLOCK_BOOTTIME of the last round of the loop
    std::uint64_t client_overruns_ = 0, server_overruns_ = 0;
};

}  // namespace mmwemu
