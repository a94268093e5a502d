#include "core/replay.h"

#include <stdexcept>
#include <string_view>

#include "tests/helpers.h"

namespace {

using namespace testing;

/// All options, none but the scheduler with its default.
const std::string kOptions =
    "start now\nstart_at_ns 5\noutage drop\nend hold\nduration_ns 2000\ncore_delay_ns 11000000\n"
    "seed 18446744073709551615\nslot_ns 125000\nscheduler fifo\necn 1\npacket_headers 1\n"
    "edge_proxy milliproxy\nmilliproxy.buffer_bytes 1\nmilliproxy.backlog_limit_bytes 2\n"
    "milliproxy.first_window_bytes 3\nmilliproxy.information_interval_ns 1000000\n"
    "milliproxy.information_delay_ns 3000000\n"
    "downlink.aqm codel\ndownlink.queue_bytes 1500000\ndownlink.queue_packets 0\n"
    "uplink.aqm pie\nuplink.queue_bytes 0\nuplink.queue_packets 100\n";
const std::string kSteps = "steps\n";
const std::string kHead = "replay 1\n" + kOptions + kSteps;  // 25 lines
const std::string kNoEffects = " 0 0 0 0 0 0 0";

/// A step with the same rate, delay and loss both ways.
std::string step(const std::string& start, const std::string& values = "1 1 0") {
    return start + " " + values + kNoEffects + " " + values + kNoEffects + "\n";
}

/// The text of a replay in which an option has another value.
std::string with(const std::string& name, const std::string& value) {
    std::string text = kHead + step("0");
    const std::size_t begin = text.find("\n" + name + " ") + 1, end = text.find('\n', begin);
    return text.replace(begin, end - begin, name + " " + value);
}

/// The text of a replay in which an option is missing.
std::string without(const std::string& name) {
    std::string text = kHead + step("0");
    const std::size_t begin = text.find("\n" + name + " ") + 1, end = text.find('\n', begin) + 1;
    return text.erase(begin, end - begin);
}

/// The error that reading a text gives, empty if there is none.
std::string refusal(const std::string& text) {
    try {
        parse_replay(text);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST_CASE("The options of a replay are read") {
    const ReplaySettings settings = parse_replay(kHead + step("0")).settings;
    CHECK(settings.start == Start::now);
    CHECK(settings.start_at == 5);
    CHECK(settings.outage == Outage::drop);
    CHECK(settings.end == End::hold);
    CHECK(settings.duration == 2000);
    CHECK(settings.core_delay == 11 * kMs);
    CHECK(settings.seed == ~0ULL);
    CHECK(settings.slot == 125'000);
    CHECK(!settings.scheduler);
    CHECK(settings.ecn);
    CHECK(settings.packet_headers);
    CHECK(settings.edge_proxy == EdgeProxyKind::milliproxy);
    CHECK(settings.milliproxy.buffer_bytes == 1);
    CHECK(settings.milliproxy.backlog_limit_bytes == 2);
    CHECK(settings.milliproxy.first_window_bytes == 3);
    CHECK(settings.milliproxy.information_interval == 1 * kMs);
    CHECK(settings.milliproxy.information_delay == 3 * kMs);
    CHECK(settings.downlink.aqm == Aqm::codel);
    CHECK(settings.downlink.queue.bytes == 1'500'000);
    CHECK(settings.downlink.queue.packets == 0);
    CHECK(settings.uplink.aqm == Aqm::pie);
    CHECK(settings.uplink.queue.bytes == 0);
    CHECK(settings.uplink.queue.packets == 100);
}

TEST_CASE("Options may come in any order") {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < kOptions.size(); begin = kOptions.find('\n', begin) + 1) {
        lines.push_back(kOptions.substr(begin, kOptions.find('\n', begin) + 1 - begin));
    }
    REQUIRE(lines.size() == 23);
    std::string reversed = "replay 1\n";
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) reversed += *line;
    const ReplaySettings settings = parse_replay(reversed + kSteps + step("0")).settings;
    CHECK(settings.start == Start::now);
    CHECK(settings.uplink.queue.packets == 100);
}

TEST_CASE("Each word of a choice has its meaning") {
    CHECK(parse_replay(with("start", "first-packet")).settings.start == Start::first_packet);
    CHECK(parse_replay(with("outage", "hold")).settings.outage == Outage::hold);
    CHECK(parse_replay(with("end", "loop")).settings.end == End::loop);
    CHECK(parse_replay(with("end", "stop")).settings.end == End::stop);
    const std::string clients = "clients\n0 0\n";
    const std::pair<const char*, Policy> policies[] = {{"round-robin", Policy::round_robin},
                                                       {"proportional-fair", Policy::proportional_fair},
                                                       {"max-rate", Policy::max_rate}};
    for (const auto& [word, policy] : policies) {
        CHECK(parse_replay(with("scheduler", word) + clients).settings.scheduler == policy);
    }
    CHECK(!parse_replay(with("ecn", "0")).settings.ecn);
    CHECK(!parse_replay(with("packet_headers", "0")).settings.packet_headers);
    const std::pair<const char*, Aqm> aqms[] = {{"drop-tail", Aqm::drop_tail},
                                                {"drop-head", Aqm::drop_head},
                                                {"codel", Aqm::codel},
                                                {"fq_codel", Aqm::fq_codel},
                                                {"pie", Aqm::pie}};
    for (const auto& [word, aqm] : aqms) {
        CHECK(parse_replay(with("downlink.aqm", word)).settings.downlink.aqm == aqm);
        CHECK(parse_replay(with("uplink.aqm", word)).settings.uplink.aqm == aqm);
    }
}

TEST_CASE("The steps and the packet events of a replay are read") {
    const Replay replay =
        parse_replay(kHead + "0 1e6 5 0 1 .2 .3 .4 .5 .6 .7 inf 6 0.25" + kNoEffects + "\n" + "1000 0.0 7 1" +
                     kNoEffects + " 2.5 8 0" + kNoEffects + "\npackets\nuplink 3 lose 0\ndownlink 2 delay 70\n" +
                     "uplink 3 corrupt 0\nuplink 4 duplicate 0\n");
    const Schedule &down = replay.downlink.schedule, &up = replay.uplink.schedule;
    std::size_t hint = 0;
    CHECK(down.at(0, hint).rate_bps == 1e6);
    CHECK(down.at(0, hint).delay == 5);
    CHECK((down.at(0, hint).effects == Effects{1, .2, .3, .4, .5, .6, .7}));
    CHECK((up.at(0, hint).effects == Effects{}));
    CHECK(std::isinf(up.at(0, hint).rate_bps));
    CHECK(up.at(0, hint).loss == 0.25);
    CHECK(down.at(1500, hint).rate_bps == 0);
    CHECK(up.at(5000, hint).rate_bps == 2.5);  // the last step holds
    const auto &down_events = replay.downlink.events, &up_events = replay.uplink.events;
    REQUIRE(down_events.size() == 1);
    REQUIRE(up_events.size() == 3);
    CHECK(down_events[0].number == 2);
    CHECK(down_events[0].action == Action::delay);
    CHECK(down_events[0].delay == 70);
    CHECK(up_events[0].action == Action::lose);
    CHECK(up_events[1].number == 3);
    CHECK(up_events[1].action == Action::corrupt);
    CHECK(up_events[2].action == Action::duplicate);
}

TEST_CASE("Each direction's path gets its own settings") {
    const Replay replay = parse_replay(kHead + step("0") + "packets\nuplink 3 lose 0\n");
    const PathSettings down = replay.path_settings(true), up = replay.path_settings(false);
    CHECK(down.core_first);
    CHECK(!up.core_first);
    CHECK(down.queue.aqm == Aqm::codel);
    CHECK(up.queue.aqm == Aqm::pie);
    CHECK(down.queue.limit.bytes == 1'500'000);
    CHECK(down.queue.limit.packets == 0);
    CHECK(up.queue.limit.bytes == 0);
    CHECK(up.queue.limit.packets == 100);
    CHECK(!down.cell);
    CHECK(!up.cell);
    CHECK(down.seed != up.seed);
    CHECK(down.queue.seed == down.seed);
    CHECK(up.queue.seed == up.seed);
    CHECK(down.events.empty());
    CHECK(up.events.size() == 1);
    for (const PathSettings& path : {down, up}) {
        CHECK(path.core_delay == 11 * kMs);
        CHECK(path.outage == Outage::drop);
        CHECK(path.start_at == 5);
        CHECK(path.slot == 125'000);
        CHECK(path.queue.ecn);
    }
}

TEST_CASE("A cell has a pattern for each client, and each direction's path the schedules of its own") {
    const std::string text = with("scheduler", "max-rate") + "steps\n" + step("0", "2 1 0") + step("1000", "3 1 0") +
                             "steps\n" + step("0", "4 1 0") + "clients\n2 0\n0 70\n2 5\n";
    for (const std::string& events : {std::string(), std::string("packets\nuplink 3 lose 0\n")}) {
        const Replay replay = parse_replay(text + events);
        CHECK(replay.uplink.events.size() == (events.empty() ? 0 : 1));
        REQUIRE(replay.others.size() == 2);
        const PathSettings down = replay.path_settings(true), up = replay.path_settings(false);
        REQUIRE(down.cell->members.size() == 3);
        CHECK(down.cell->policy == Policy::max_rate);
        CHECK(down.cell->address == ClientAddress::destination);
        CHECK(up.cell->address == ClientAddress::source);
        CHECK(down.cell->members[0].schedule == &replay.others[1].downlink);
        CHECK(up.cell->members[0].schedule == &replay.others[1].uplink);
        CHECK(down.cell->members[1].schedule == &replay.downlink.schedule);
        CHECK(down.cell->members[1].shift == 70);
        CHECK(down.cell->members[2].schedule == &replay.others[1].downlink);
        std::size_t hint = 0;
        CHECK(replay.others[0].uplink.at(1500, hint).rate_bps == 3);
    }
}

TEST_CASE("A cell that is not whole is refused") {
    const std::string fair = with("scheduler", "proportional-fair");
    CHECK(refusal(fair) == "replay: its scheduler has no clients");
    CHECK(refusal(fair + "clients\n") == "replay: its scheduler has no clients");
    CHECK(refusal(with("scheduler", "fifo") + "clients\n0 0\n") == "replay: its clients have no scheduler");
    CHECK(refusal(fair + "clients\n1 0\n") == "replay: line 28: pattern: there are 1, counted from 0");
    CHECK(refusal(fair + "clients\n0\n") == "replay: line 28: a client has 2 values, not 1");
    CHECK(refusal(fair + "clients\n0 -5\n").starts_with("replay: line 28: shift_ns: '-5'"));
    CHECK(refusal(fair + "steps\nclients\n0 0\n") == "replay: it has no steps");
    CHECK(refusal(fair + "steps\n" + step("1") + "clients\n0 0\n") == "replay: the first step must start at 0");
    std::string many = fair + "clients\n";
    for (int i = 0; i < 256; ++i) many += "0 0\n";
    CHECK(refusal(many) == "replay: it has more than 255 clients");
    std::string no_slots = fair + "clients\n0 0\n";
    no_slots.replace(no_slots.find("slot_ns 125000"), 14, "slot_ns 0");
    CHECK(refusal(no_slots) == "replay: its scheduler has no slots");
}

TEST_CASE("A replay of another format is refused by its number") {
    CHECK(refusal("") == "replay: line 1: '' is not the line 'replay 1'");
    CHECK(refusal("schedule 2 hold loop 9\n") == "replay: line 1: 'schedule 2 hold loop 9' is not the line 'replay 1'");
    CHECK(refusal("replay 2\n" + kOptions + kSteps + step("0")) == "replay: format 2; this mmwemu-link reads 1");
    CHECK(refusal("replay 0\n") == "replay: format 0; this mmwemu-link reads 1");
    CHECK(refusal("replay 1 \n") == "replay: format 1 ; this mmwemu-link reads 1");
}

TEST_CASE("An unknown, repeated or missing option is refused by its name") {
    CHECK(refusal("replay 1\nseed 1\necn 0\nfoo 1\n") == "replay: line 4: 'foo' is not a known name");
    CHECK(refusal("replay 1\n\n") == "replay: line 2: '' is not a known name");
    CHECK(refusal("replay 1\naqm codel\n") == "replay: line 2: 'aqm' is not a known name");
    CHECK(refusal("replay 1\npackets\n") == "replay: line 2: 'packets' is not a known name");
    CHECK(refusal("replay 1\nseed\n") == "replay: line 2: 'seed' has no value");
    CHECK(refusal("replay 1\nseed 1\necn 0\nseed 1\n") == "replay: line 4: 'seed' is given twice");
    CHECK(refusal("replay 1\nuplink.aqm pie\nuplink.aqm pie\n") == "replay: line 3: 'uplink.aqm' is given twice");
    for (const char* name : {"start", "start_at_ns", "outage", "end", "duration_ns", "core_delay_ns", "seed", "slot_ns",
                             "scheduler", "ecn", "packet_headers", "downlink.aqm", "downlink.queue_bytes",
                             "downlink.queue_packets", "uplink.aqm", "uplink.queue_bytes", "uplink.queue_packets"}) {
        CHECK(refusal(without(name)) == "replay: " + std::string(name) + " is missing");
    }
    CHECK(refusal("replay 1\n" + kOptions) == "replay: the line 'steps' is missing");
    CHECK(refusal("replay 1\n" + kOptions + "steps \n") == "replay: line 25: 'steps' is not a known name");
}

TEST_CASE("A bad value is refused with its name") {
    const auto refuse = [](const std::string& name, const std::string& value) {
        const std::string error = refusal(with(name, value));
        const std::size_t colon = error.find(": ", error.find("line "));
        return colon == std::string::npos ? error : error.substr(colon + 2);
    };
    CHECK(refusal(with("start", "later")) == "replay: line 2: start: 'later' is none of first-packet, now");
    CHECK(refuse("start_at_ns", "-1") == "start_at_ns: '-1' is not a whole number from 0 to 2305843009213693951");
    CHECK(refuse("outage", "keep") == "outage: 'keep' is none of hold, drop");
    CHECK(refuse("end", "halt") == "end: 'halt' is none of loop, hold, stop");
    CHECK(refuse("duration_ns", "0") == "duration_ns: '0' is not a whole number from 1 to 2305843009213693951");
    CHECK(refuse("duration_ns", "1e9").starts_with("duration_ns: '1e9'"));
    CHECK(refuse("core_delay_ns", "1.5").starts_with("core_delay_ns: '1.5'"));
    CHECK(refuse("core_delay_ns", "").starts_with("core_delay_ns: ''"));
    CHECK(refuse("core_delay_ns", " 1").starts_with("core_delay_ns: ' 1'"));
    CHECK(refuse("seed", "18446744073709551616") ==
          "seed: '18446744073709551616' is not a whole number from 0 to 18446744073709551615");
    CHECK(refuse("slot_ns", "1000000001") == "slot_ns: '1000000001' is not a whole number from 0 to 1000000000");
    CHECK(refuse("scheduler", "fair") == "scheduler: 'fair' is none of fifo, round-robin, proportional-fair, max-rate");
    CHECK(refuse("ecn", "2") == "ecn: '2' is none of 0, 1");
    CHECK(refuse("packet_headers", "yes") == "packet_headers: 'yes' is none of 0, 1");
    CHECK(refuse("downlink.aqm", "red") == "downlink.aqm: 'red' is none of drop-tail, drop-head, codel, fq_codel, pie");
    CHECK(refuse("uplink.aqm", "red").starts_with("uplink.aqm: 'red'"));
    CHECK(refuse("downlink.queue_bytes", "-1") ==
          "downlink.queue_bytes: '-1' is not a whole number from 0 to 1099511627776");
    CHECK(refuse("uplink.queue_packets", "x").starts_with("uplink.queue_packets: 'x'"));
    CHECK(refuse("seed", std::string(5000, '7')).size() < 200);
}

TEST_CASE("A bad step is refused with its line and the name of the value") {
    CHECK(refusal(kHead) == "replay: it has no steps");
    CHECK(refusal(kHead + "packets\ndownlink 1 lose 0\n") == "replay: it has no steps");
    CHECK(refusal(kHead + "0 1 1 0 1 1\n") == "replay: line 26: a step has 21 values, not 6");
    CHECK(refusal(kHead + step("0") + "\n") == "replay: line 27: a step has 21 values, not 1");
    CHECK(refusal(kHead + step("0", "1 1 0 ")) == "replay: line 26: a step has 21 values, not 23");
    CHECK(refusal(kHead + step("0", "nan 1 0")) ==
          "replay: line 26: downlink.rate_bps: 'nan' is not a number from 0 to inf");
    CHECK(refusal(kHead + step("0") + step("5", "-1 1 0")).starts_with("replay: line 27: downlink.rate_bps: '-1'"));
    CHECK(refusal(kHead + step("0", "1 1.5 0")).starts_with("replay: line 26: downlink.delay_ns: '1.5'"));
    CHECK(refusal(kHead + step("x")).starts_with("replay: line 26: start_ns: 'x'"));
    const char* names[] = {"rate_bps",  "delay_ns",   "loss",      "jitter_ns", "duplication",
                           "bit_error", "reordering", "gilbert_p", "gilbert_r", "loss_bad"};
    for (std::size_t i = 0; i < 20; ++i) {
        std::string line = "0";
        for (std::size_t k = 0; k < 20; ++k) line += k == i ? " -1" : " 1";
        const std::string name = std::string(i < 10 ? "downlink." : "uplink.") + names[i % 10];
        CHECK(refusal(kHead + line + "\n").starts_with("replay: line 26: " + name + ": '-1' is not a "));
    }
    CHECK(refusal(kHead + step("1")) == "replay: the first step must start at 0");
    CHECK(refusal(kHead + step("0") + step("0")) == "replay: the steps' times must rise strictly");
    CHECK(refusal(kHead + step("0") + step("999")) == "replay: the step at 0 ns lasts 999 ns; must last at least 1000");
    CHECK(refusal(kHead + step("0") + step("1001")) ==
          "replay: the step at 1001 ns lasts 999 ns; must last at least 1000");
    CHECK(refusal(kHead + step("0") + step("1000")).empty());
    CHECK(refusal(kHead + step("0") + step("2000")) == "replay: the duration must be after the last step");
}

TEST_CASE("A bad packet event is refused with its line") {
    const std::string head = kHead + step("0") + "packets\n";
    CHECK(refusal(head + "downlink 1 lose\n") == "replay: line 28: a packet has 4 values, not 3");
    CHECK(refusal(head + "down 1 lose 0\n") == "replay: line 28: direction: 'down' is none of downlink, uplink");
    CHECK(refusal(head + "downlink 0 lose 0\n") ==
          "replay: line 28: number: '0' is not a whole number from 1 to 18446744073709551615");
    CHECK(refusal(head + "downlink 1 eat 0\n") ==
          "replay: line 28: action: 'eat' is none of lose, duplicate, corrupt, delay");
    CHECK(refusal(head + "downlink 1 delay -5\n").starts_with("replay: line 28: delay_ns: '-5'"));
    CHECK(refusal(head + "uplink 2 lose 0\nuplink 1 lose 0\n") ==
          "replay: line 29: number: 1 is below 2, the one before in this direction");
    CHECK(refusal(head + "uplink 2 lose 0\ndownlink 1 lose 0\n").empty());
}

}  // namespace
