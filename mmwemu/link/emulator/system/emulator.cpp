#include "system/emulator.h"

#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "core/parse.h"
#include "core/segmentation.h"

namespace mmwemu {

namespace {

// Time between releases when there are many. Packets are late by half of it on average. A wake-up costs 30 us, so
// releases of many packets come less often: at 1 Gbit/s a train has 42 packets.
constexpr Time kTrainTime = 300'000, kLongTrainTime = 500'000;
constexpr std::uint32_t kLongTrain = 20;   // from this many packets in one release on, kLongTrainTime holds
constexpr int kBurst = 16;                 // releases in a row that may be closer
constexpr Time kCountEvery = 100'000'000;  // between two readings of the devices' overruns
constexpr int kBeatMs = 50;                // the longest wait of the loop
constexpr Time kStandstill = 200'000'000;  // a longer gap between two rounds of the loop is a stall
constexpr int kReadBatch = 64;             // packets read from one device in a row
constexpr std::size_t kMaxBufferBytes = 1ULL << 30;

std::string read_all(const Fd& file) {
    struct stat status {};
    check(::fstat(file.get(), &status), "fstat replay");
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t bytes =
            check(::pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done)), "read replay");
        if (bytes == 0) break;
        done += static_cast<std::size_t>(bytes);
    }
    return text;
}

}  // namespace

Emulator::Run::Run(Replay of, const Fd& file, Fd packets_file)
    // A slot is a train of its own; half of it leaves room for a release that comes late. The slots of a cell are more
    // than can be released one by one.
    : train_time(of.settings.slot > 0 && !of.settings.scheduler ? of.settings.slot / 2 : kLongTrainTime),
      replay(std::move(of)),
      telemetry(file, replay.clients.size()),
      packets(packets_file ? std::make_unique<PacketFile>(std::move(packets_file), replay.settings.packet_headers)
                           : nullptr),
      down(replay.downlink.schedule, replay.path_settings(true), Bins(telemetry.records(), 0, log()),
           telemetry.client_records()),
      up(replay.uplink.schedule, replay.path_settings(false), Bins(telemetry.records(), 1, log()),
         telemetry.client_records()) {}

Emulator::Emulator(Tun client, Tun server, ControlSocket control, Fd parent, Fd init)
    : client_(std::move(client)),
      server_(std::move(server)),
      control_(std::move(control)),
      parent_(std::move(parent)),
      init_(std::move(init)),
      timer_(check(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")),
      epoll_(check(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
    for (int fd : {client_.fd(), server_.fd(), control_.fd(), parent_.get(), init_.get(), timer_.get()}) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        check(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    }
}

void Emulator::arm(Time wake) {
    if (wake == armed_) return;
    armed_ = wake;
    itimerspec spec{};
    if (wake != kNever) {
        spec.it_value.tv_sec = wake / kSecond;
        spec.it_value.tv_nsec = wake % kSecond;
    }
    check(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr), "timerfd_settime");
}

void Emulator::run() {
    std::array<epoll_event, 8> events{};
    for (;;) {
        Time wake = kNever;
        if (run_) wake = std::min(run_->down.next(), run_->up.next());
        if (run_ && run_->proxy) wake = std::min(wake, run_->proxy->next());
        if (wake != kNever) wake = std::max(wake, may_release_);
        arm(wake);
        const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), kBeatMs);
        if (count < 0 && errno != EINTR) fail("epoll_wait");
        notice_standstill();
        for (int i = 0; i < count; ++i) {
            const int fd = events[static_cast<std::size_t>(i)].data.fd;
            if (fd == timer_.get()) {
                armed_ = 0;  // it must be armed again, which also makes it unreadable
            } else if (fd == control_.fd()) {
                if (!answer_message()) return;
            } else if (fd == init_.get()) {
                throw std::runtime_error("the first process of the namespaces was killed");
            } else if (fd == parent_.get()) {
                return;
            }
        }
        move_packets();
    }
}

void Emulator::notice_standstill() {
    // Packets that came during a stall wait in the devices and seem to come now; only the clock shows the stall.
    const Time clock = boottime_now();
    const Time gap = clock - std::exchange(seen_, clock);
    if (!run_ || run_->waiting || gap < kStandstill) return;
    const Time now = monotonic_now();
    run_->down.stood_still(now, gap);
    run_->up.stood_still(now, gap);
}

void Emulator::move_packets() {
    if (!run_) {
        discard(client_);
        discard(server_);
        return;
    }
    inform_proxy();
    if (monotonic_now() >= may_release_) {
        const std::uint32_t moved = release(client_, run_->down) + release(server_, run_->up);
        // Sparse packets go out on time; after kBurst releases in a row, one release comes every train time.
        if (moved > 0) {
            const Time train_time = std::min(run_->train_time, moved < kLongTrain ? kTrainTime : kLongTrainTime);
            may_release_ = std::max(may_release_, monotonic_now() - kBurst * train_time) + train_time;
        }
    }
    // Read after the writes: the stacks answer during a write, so their answers are in the devices already.
    read(server_, true);
    read(client_, false);
    count_overruns(monotonic_now());
}

void Emulator::read(Tun& from, bool down) {
    Path& path = down ? run_->down : run_->up;
    for (int i = 0; i < kReadBatch; ++i) {
        PacketRef packet = from.read(pool_);
        if (!packet) return;
        const Time now = monotonic_now();
        if (!find_segments(*packet) || pool_.taken_bytes() > kMaxBufferBytes) {
            path.lost_at_device(now, *packet);
            continue;
        }
        if (run_->waiting && carries_news(*packet)) begin(now);
        if (down && run_->proxy) {
            run_->proxy->from_server(now, std::move(packet));
            send(server_, run_->up);  // window updates
        } else {
            path.push(now, std::move(packet));
        }
    }
}

void Emulator::inform_proxy() {
    if (!run_->proxy || run_->waiting) return;
    run_->proxy->inform(monotonic_now());
    send(server_, run_->up);  // window updates
}

void Emulator::discard(Tun& from) {
    for (int i = 0; i < Tun::kQueuePackets && from.read(pool_); ++i) {
    }
}

std::uint32_t Emulator::release(Tun& to, Path& path) {
    Delivery delivery;
    std::uint32_t packets = 0;
    const Time now = monotonic_now();
    while (path.pop(now, delivery)) {
        packets += delivery.count;
        if (&path == &run_->up && run_->proxy) {
            run_->proxy->from_client(now, std::move(delivery));
        } else {
            line_up(to, path, std::move(delivery));
        }
    }
    send(to, path);
    return packets;
}

void Emulator::line_up(Tun& to, Path& path, Delivery delivery) {
    if (train_of_.empty() || !train_.append(*delivery.packet, delivery.first, delivery.count)) {
        send(to, path);
        train_.set(*delivery.packet, delivery.first, delivery.count);
    }
    train_of_.push_back(std::move(delivery));
}

void Emulator::send(Tun& to, Path& path) {
    if (train_of_.empty()) return;
    const bool taken = to.write(train_);
    const Time now = monotonic_now();
    for (const Delivery& delivery : train_of_) {
        if (taken) {
            path.delivered(now, delivery);
        } else {
            path.lost_at_device(now, delivery);
        }
    }
    train_of_.clear();
}

void Emulator::begin(Time epoch) {
    run_->waiting = false;
    run_->down.begin(epoch);
    run_->up.begin(epoch);
    run_->telemetry.header() = {epoch, epoch};
    client_overruns_ = client_.overruns();
    server_overruns_ = server_.overruns();
    counted_ = epoch;
}

void Emulator::count_overruns(Time now) {
    if (run_->waiting || now < counted_ + kCountEvery) return;
    counted_ = now;
    const std::uint64_t client = client_.overruns();
    const std::uint64_t server = server_.overruns();
    // The kernel counts packets, not bytes.
    run_->up.lost_at_device(now, client - std::exchange(client_overruns_, client));
    run_->down.lost_at_device(now, server - std::exchange(server_overruns_, server));
}

void Emulator::advance(Time now) {
    if (!run_ || run_->waiting) return;
    run_->down.advance(now);
    run_->up.advance(now);
    counted_ = 0;
    count_overruns(now);
    run_->telemetry.header().settled_to = std::min(run_->down.settled(now), run_->up.settled(now));
}

bool Emulator::answer_message() {
    try {
        std::optional<Message> message = control_.receive();
        if (!message) return false;
        control_.send(answer(*message));
    } catch (const std::exception& error) {
        control_.send(std::string("error ") + error.what());
    }
    return true;
}

std::string Emulator::answer(Message& message) {
    const std::string& text = message.text;
    if (text == "stats") {
        advance(monotonic_now());
        return "ok";
    }
    if (text == "flush") {
        if (!run_ || !run_->packets) throw std::invalid_argument("flush: no packets are logged");
        run_->packets->finish();
        return "ok";
    }
    if (text.starts_with("congestion ")) {
        // One name for both ends, or one each.
        const std::string names = text.substr(text.find(' ') + 1);
        const std::size_t space = names.find(' ');
        client_.set_congestion_control(names.substr(0, space));
        server_.set_congestion_control(space == std::string::npos ? names : names.substr(space + 1));
        return "ok";
    }
    if (text.starts_with("window ")) {
        const std::string packets = text.substr(text.find(' ') + 1);
        if (packets.empty() || packets.size() > 5 || packets.find_first_not_of("0123456789") != std::string::npos) {
            throw std::invalid_argument("window: " + quoted(packets) + " is no number of packets");
        }
        const auto count = static_cast<std::uint32_t>(std::stoul(packets));
        client_.set_initial_window(count);
        server_.set_initial_window(count);
        return "ok";
    }
    if (text == "start") {
        start(message);
        return "ok";
    }
    throw std::invalid_argument("unknown message: " + quoted(text));
}

void Emulator::start(Message& message) {
    std::vector<Fd>& files = message.files;
    if (files.size() != 2 && files.size() != 3) {
        throw std::invalid_argument("start: needs the replay, the telemetry file and optionally a packets file");
    }
    Replay replay = parse_replay(read_all(files[0]));
    auto next = std::make_unique<Run>(std::move(replay), files[1], files.size() == 3 ? std::move(files[2]) : Fd());
    // Packets of the old replay are dropped: those on their way and those that the kernel still holds.
    if (const ReplaySettings& settings = next->replay.settings; settings.edge_proxy == EdgeProxyKind::milliproxy) {
        next->proxy = std::make_unique<EdgeProxy>(
            settings.milliproxy, std::max<std::size_t>(1, next->replay.clients.size()), pool_, next->down,
            [this](Delivery delivery) { line_up(server_, run_->up, std::move(delivery)); });
    }
    run_.reset();
    discard(client_);
    discard(server_);
    client_.set_ecn(next->replay.settings.ecn);
    server_.set_ecn(next->replay.settings.ecn);
    run_ = std::move(next);
    if (run_->replay.settings.start == Start::now) begin(monotonic_now());
}

}  // namespace mmwemu
