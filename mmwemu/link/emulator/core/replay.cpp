#include "core/replay.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/parse.h"

namespace mmwemu {

namespace {

constexpr std::string_view kFormat = "1";
constexpr Time kLongest = kNever / 4;           // sums of a few times do not overflow
constexpr Time kShortestStep = 1000;            // shorter ones cost more time than they last
constexpr Time kShortestInformation = 100'000;  // as the shortest slot, nearly; each costs a wake-up
constexpr std::uint64_t kLargestQueue = 1ULL << 40;
constexpr std::size_t kMostClients = 255;  // as many as the last byte of an address tells apart
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// One value of the text by its name.
template <typename Target>
struct Option {
    std::string_view name;
    void (*set)(Target&, std::string_view);
};

Time parse_time(std::string_view text) {
    return parse_number<Time>(text, 0, kLongest);
}

std::uint64_t parse_queue(std::string_view text) {
    return parse_number<std::uint64_t>(text, 0, kLargestQueue);
}

bool parse_flag(std::string_view text) {
    return parse_choice<bool>(text, {{"0", false}, {"1", true}});
}

double parse_share(std::string_view text) {
    return parse_number<double>(text, 0, 1);
}

Outage parse_outage(std::string_view text) {
    return parse_choice<Outage>(text, {{"hold", Outage::hold}, {"drop", Outage::drop}});
}

End parse_end(std::string_view text) {
    return parse_choice<End>(text, {{"loop", End::loop}, {"hold", End::hold}, {"stop", End::stop}});
}

Start parse_start(std::string_view text) {
    return parse_choice<Start>(text, {{"first-packet", Start::first_packet}, {"now", Start::now}});
}

std::optional<Policy> parse_scheduler(std::string_view text) {
    return parse_choice<std::optional<Policy>>(text, {{"fifo", std::nullopt},
                                                      {"round-robin", Policy::round_robin},
                                                      {"proportional-fair", Policy::proportional_fair},
                                                      {"max-rate", Policy::max_rate}});
}

EdgeProxyKind parse_edge_proxy(std::string_view text) {
    return parse_choice<EdgeProxyKind>(text,
                                       {{"none", EdgeProxyKind::none}, {"milliproxy", EdgeProxyKind::milliproxy}});
}

Aqm parse_aqm(std::string_view text) {
    return parse_choice<Aqm>(text, {{"drop-tail", Aqm::drop_tail},
                                    {"drop-head", Aqm::drop_head},
                                    {"codel", Aqm::codel},
                                    {"fq_codel", Aqm::fq_codel},
                                    {"pie", Aqm::pie}});
}

Action parse_action(std::string_view text) {
    return parse_choice<Action>(text, {{"lose", Action::lose},
                                       {"duplicate", Action::duplicate},
                                       {"corrupt", Action::corrupt},
                                       {"delay", Action::delay}});
}

constexpr Option<ReplaySettings> kOptions[] = {
    {"start", [](auto& replay, auto text) { replay.start = parse_start(text); }},
    {"start_at_ns", [](auto& replay, auto text) { replay.start_at = parse_time(text); }},
    {"outage", [](auto& replay, auto text) { replay.outage = parse_outage(text); }},
    {"end", [](auto& replay, auto text) { replay.end = parse_end(text); }},
    {"duration_ns", [](auto& replay, auto text) { replay.duration = parse_number<Time>(text, 1, kLongest); }},
    {"core_delay_ns", [](auto& replay, auto text) { replay.core_delay = parse_time(text); }},
    {"seed", [](auto& replay, auto text) { replay.seed = parse_number<std::uint64_t>(text, 0, kMost); }},
    {"slot_ns", [](auto& replay, auto text) { replay.slot = parse_number<Time>(text, 0, kSecond); }},
    {"scheduler", [](auto& replay, auto text) { replay.scheduler = parse_scheduler(text); }},
    {"ecn", [](auto& replay, auto text) { replay.ecn = parse_flag(text); }},
    {"packet_headers", [](auto& replay, auto text) { replay.packet_headers = parse_flag(text); }},
    {"edge_proxy", [](auto& replay, auto text) { replay.edge_proxy = parse_edge_proxy(text); }},
};

/// Their names in the text begin with `milliproxy.`.
constexpr Option<proxy::Settings> kMilliproxyOptions[] = {
    {"buffer_bytes", [](auto& settings, auto text) { settings.buffer_bytes = parse_queue(text); }},
    {"backlog_limit_bytes", [](auto& settings, auto text) { settings.backlog_limit_bytes = parse_queue(text); }},
    {"first_window_bytes", [](auto& settings, auto text) { settings.first_window_bytes = parse_queue(text); }},
    {"information_interval_ns",
     [](auto& settings, auto text) {
         settings.information_interval = parse_number<Time>(text, kShortestInformation, kLongest);
     }},
    {"information_delay_ns", [](auto& settings, auto text) { settings.information_delay = parse_time(text); }},
};

/// Their names in the text begin with the direction: `downlink.aqm`.
constexpr Option<DirectionSettings> kDirectionOptions[] = {
    {"aqm", [](auto& direction, auto text) { direction.aqm = parse_aqm(text); }},
    {"queue_bytes", [](auto& direction, auto text) { direction.queue.bytes = parse_queue(text); }},
    {"queue_packets", [](auto& direction, auto text) { direction.queue.packets = parse_queue(text); }},
};

/// The values of a step in one direction, in the order of the text.
constexpr Option<Step> kStepValues[] = {
    {"rate_bps", [](auto& step, auto text) { step.rate_bps = parse_number<double>(text, 0, INFINITY); }},
    {"delay_ns", [](auto& step, auto text) { step.delay = parse_time(text); }},
    {"loss", [](auto& step, auto text) { step.loss = parse_share(text); }},
    {"jitter_ns", [](auto& step, auto text) { step.effects.jitter = parse_time(text); }},
    {"duplication", [](auto& step, auto text) { step.effects.duplication = parse_share(text); }},
    {"bit_error", [](auto& step, auto text) { step.effects.bit_error = parse_share(text); }},
    {"reordering", [](auto& step, auto text) { step.effects.reordering = parse_share(text); }},
    {"gilbert_p", [](auto& step, auto text) { step.effects.gilbert_p = parse_share(text); }},
    {"gilbert_r", [](auto& step, auto text) { step.effects.gilbert_r = parse_share(text); }},
    {"loss_bad", [](auto& step, auto text) { step.effects.loss_bad = parse_share(text); }},
};
constexpr std::size_t kValuesOfStep = std::size(kStepValues);

/// A line of a packet event.
struct EventLine : PacketEvent {
    bool is_downlink = false;
};

constexpr Option<EventLine> kEventValues[] = {
    {"direction",
     [](auto& event, auto text) {
         event.is_downlink = parse_choice<bool>(text, {{"downlink", true}, {"uplink", false}});
     }},
    {"number", [](auto& event, auto text) { event.number = parse_number<std::uint64_t>(text, 1, kMost); }},
    {"action", [](auto& event, auto text) { event.action = parse_action(text); }},
    {"delay_ns", [](auto& event, auto text) { event.delay = parse_time(text); }},
};

constexpr Option<Replay::Client> kClientValues[] = {
    {"pattern", [](auto& client, auto text) { client.pattern = parse_number<std::size_t>(text, 0, kMostClients); }},
    {"shift_ns", [](auto& client, auto text) { client.shift = parse_time(text); }},
};

bool is_one_of(std::string_view line, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, line) != words.end();
}

[[noreturn]] void refuse(const std::string& problem) {
    throw std::invalid_argument("replay: " + problem);
}

/// Do some reading; an error of it begins with `where`, a callable as it is rarely needed.
template <typename Where, typename Work>
auto located(Where where, Work work) {
    try {
        return work();
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(where() + ": " + error.what());
    }
}

template <typename Target>
void set(const Option<Target>& option, std::string_view prefix, Target& target, std::string_view text) {
    located([&] { return std::string(prefix).append(option.name); }, [&] { option.set(target, text); });
}

void check_count(const std::string& line, const std::vector<std::string_view>& values, std::size_t count) {
    if (values.size() == count) return;
    throw std::invalid_argument(line + " has " + std::to_string(count) + " values, not " +
                                std::to_string(values.size()));
}

/// The lines of the text one after the other.
class Lines {
  public:
    explicit Lines(std::string_view text) : rest_(text) {}

    /// Go to the next line; false at the end of the text.
    bool next() {
        if (rest_.empty()) return false;
        const std::size_t end = rest_.find('\n');
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        ++number_;
        return true;
    }
    std::string_view line() const { return line_; }

    /// Read something of the line; an error of it names the line.
    template <typename Work>
    auto read(Work work) const {
        return located([this] { return "replay: line " + std::to_string(number_); }, work);
    }

  private:
    std::string_view line_, rest_;
    std::size_t number_ = 0;
};

void read_format(Lines& lines) {
    lines.next();
    constexpr std::string_view kWord = "replay ";
    if (!lines.line().starts_with(kWord)) refuse("line 1: " + quoted(lines.line()) + " is not the line 'replay 1'");
    const std::string format(lines.line().substr(kWord.size(), 20));
    if (format != kFormat) refuse("format " + format + "; this mmwemu-link reads " + std::string(kFormat));
}

/// Read the options up to the line `steps`.
ReplaySettings read_settings(Lines& lines) {
    struct Entry {
        std::string name;
        std::function<void(std::string_view)> set;
        bool given = false;
    };
    ReplaySettings settings;
    std::vector<Entry> entries;
    const auto add = [&entries](const auto& options, std::string_view prefix, auto& target) {
        for (const auto& option : options) {
            entries.push_back({std::string(prefix).append(option.name),
                               [&option, prefix, &target](auto text) { set(option, prefix, target, text); }});
        }
    };
    add(kOptions, "", settings);
    add(kMilliproxyOptions, "milliproxy.", settings.milliproxy);
    add(kDirectionOptions, "downlink.", settings.downlink);
    add(kDirectionOptions, "uplink.", settings.uplink);
    while (lines.next() && lines.line() != "steps") {
        lines.read([&] {
            const std::size_t space = lines.line().find(' ');
            const std::string_view name = lines.line().substr(0, space);
            const auto entry = std::ranges::find(entries, name, &Entry::name);
            if (entry == entries.end()) throw std::invalid_argument(quoted(name) + " is not a known name");
            if (space == std::string_view::npos) throw std::invalid_argument(quoted(name) + " has no value");
            if (entry->given) throw std::invalid_argument(quoted(name) + " is given twice");
            entry->given = true;
            entry->set(lines.line().substr(space + 1));
        });
    }
    for (const Entry& entry : entries) {
        if (!entry.given) refuse(entry.name + " is missing");
    }
    if (lines.line() != "steps") refuse("the line 'steps' is missing");
    return settings;
}

Step read_step(Time start, std::string_view prefix, std::span<const std::string_view> values) {
    Step step;
    step.start = start;
    for (std::size_t i = 0; i < kValuesOfStep; ++i) set(kStepValues[i], prefix, step, values[i]);
    return step;
}

struct Steps {
    std::vector<Step> downlink, uplink;
};

/// Read the steps of a pattern up to the next line without any, or the end.
Steps read_steps(Lines& lines) {
    Steps steps;
    while (lines.next() && !is_one_of(lines.line(), {"steps", "clients", "packets"})) {
        lines.read([&] {
            const std::vector<std::string_view> fields = split(lines.line(), ' ');
            check_count("a step", fields, 1 + 2 * kValuesOfStep);
            const Time start = located([] { return std::string("start_ns"); }, [&] { return parse_time(fields[0]); });
            const auto values = std::span(fields).subspan(1);
            steps.downlink.push_back(read_step(start, "downlink.", values.first(kValuesOfStep)));
            steps.uplink.push_back(read_step(start, "uplink.", values.last(kValuesOfStep)));
        });
    }
    if (steps.downlink.empty()) refuse("it has no steps");
    return steps;
}

/// Read the clients up to the line `packets` or the end.
std::vector<Replay::Client> read_clients(Lines& lines, std::size_t patterns) {
    std::vector<Replay::Client> clients;
    while (lines.next() && lines.line() != "packets") {
        lines.read([&] {
            const std::vector<std::string_view> fields = split(lines.line(), ' ');
            check_count("a client", fields, std::size(kClientValues));
            Replay::Client client;
            for (std::size_t i = 0; i < fields.size(); ++i) set(kClientValues[i], "", client, fields[i]);
            if (client.pattern >= patterns) {
                throw std::invalid_argument("pattern: there are " + std::to_string(patterns) + ", counted from 0");
            }
            clients.push_back(client);
        });
    }
    if (clients.size() > kMostClients) refuse("it has more than " + std::to_string(kMostClients) + " clients");
    return clients;
}

/// Read the packet events up to the end.
void read_events(Lines& lines, Replay& replay) {
    while (lines.next()) {
        lines.read([&] {
            const std::vector<std::string_view> fields = split(lines.line(), ' ');
            check_count("a packet", fields, std::size(kEventValues));
            EventLine event;
            for (std::size_t i = 0; i < fields.size(); ++i) set(kEventValues[i], "", event, fields[i]);
            auto& events = (event.is_downlink ? replay.downlink : replay.uplink).events;
            if (!events.empty() && event.number < events.back().number) {
                throw std::invalid_argument("number: " + std::to_string(event.number) + " is below " +
                                            std::to_string(events.back().number) +
                                            ", the one before in this direction");
            }
            events.push_back(event);
        });
    }
}

/// Refuse steps that rise in time and are shorter than `kShortestStep`; a schedule refuses those that do not rise.
void check_lengths(const std::vector<Step>& steps, Time duration) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Time end = i + 1 < steps.size() ? steps[i + 1].start : duration;
        if (end > steps[i].start && end - steps[i].start < kShortestStep) {
            refuse("the step at " + std::to_string(steps[i].start) + " ns lasts " +
                   std::to_string(end - steps[i].start) + " ns; must last at least " + std::to_string(kShortestStep));
        }
    }
}

}  // namespace

Replay parse_replay(std::string_view text) {
    Lines lines(text);
    read_format(lines);
    const ReplaySettings settings = read_settings(lines);
    const auto read_pattern = [&] {
        Steps steps = read_steps(lines);
        check_lengths(steps.downlink, settings.duration);  // those of the uplink start at the same times
        const auto schedule = [&](std::vector<Step> of) {
            return Schedule(std::move(of), settings.duration, settings.end);
        };
        return located(
            [] { return std::string("replay"); },
            [&] { return Replay::Pattern{schedule(std::move(steps.downlink)), schedule(std::move(steps.uplink))}; });
    };
    Replay::Pattern first = read_pattern();
    Replay replay{settings, {std::move(first.downlink), {}}, {std::move(first.uplink), {}}, {}, {}};
    while (lines.line() == "steps") replay.others.push_back(read_pattern());
    if (lines.line() == "clients") replay.clients = read_clients(lines, 1 + replay.others.size());
    if (settings.scheduler.has_value() == replay.clients.empty()) {
        refuse(replay.clients.empty() ? "its scheduler has no clients" : "its clients have no scheduler");
    }
    if (settings.scheduler && settings.slot == 0) refuse("its scheduler has no slots");
    read_events(lines, replay);
    return replay;
}

PathSettings Replay::path_settings(bool is_downlink) const {
    const DirectionSettings& direction = is_downlink ? settings.downlink : settings.uplink;
    PathSettings path;
    path.core_delay = settings.core_delay;
    path.core_first = is_downlink;
    path.seed = 2 * settings.seed + (is_downlink ? 0 : 1);
    path.queue = {direction.aqm, direction.queue, settings.ecn, path.seed};
    if (settings.scheduler) {
        path.cell = {*settings.scheduler, is_downlink ? ClientAddress::destination : ClientAddress::source, {}, 0};
        const auto schedule_of = [&](const Client& client) -> const Schedule& {
            if (client.pattern == 0) return is_downlink ? downlink.schedule : uplink.schedule;
            const Pattern& pattern = others[client.pattern - 1];
            return is_downlink ? pattern.downlink : pattern.uplink;
        };
        for (const Client& client : clients) path.cell->members.push_back({&schedule_of(client), client.shift});
    }
    path.outage = settings.outage;
    path.start_at = settings.start_at;
    path.slot = settings.slot;
    path.events = is_downlink ? downlink.events : uplink.events;
    return path;
}

}  // namespace mmwemu
