#include <stdexcept>

#include "system/control.h"
#include "tests/helpers.h"

namespace {

using namespace testing;

Schedule three(End end) {
    return Schedule({{0, 1e6, 1, 0}, {10, 2e6, 2, 0}, {30, 3e6, 3, 0.5}}, 100, end);
}

template <typename Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST_CASE("A step holds up to the next") {
    const Schedule schedule = three(End::hold);
    std::size_t hint = 0;
    CHECK(schedule.at(0, hint).rate_bps == 1e6);
    CHECK(schedule.at(9, hint).rate_bps == 1e6);
    CHECK(schedule.at(10, hint).rate_bps == 2e6);
    CHECK(schedule.at(10, hint).end == 30);
    CHECK(schedule.at(99, hint).loss == 0.5);
    CHECK(schedule.at(5, hint).rate_bps == 1e6);  // and back
}

TEST_CASE("After the last step, a schedule loops, holds or stops") {
    std::size_t hint = 0;
    const Span looped = three(End::loop).at(215, hint);
    CHECK(looped.rate_bps == 2e6);
    CHECK(looped.start == 210);
    CHECK(looped.end == 230);
    CHECK(three(End::loop).at(299, hint).end == 300);
    const Span held = three(End::hold).at(1000, hint);
    CHECK(held.rate_bps == 3e6);
    CHECK(held.end == kNever);
    CHECK(held.delay == 3);
    const Span stopped = three(End::stop).at(100, hint);
    CHECK(stopped.rate_bps == 0);
    CHECK(stopped.end == kNever);
    CHECK(three(End::stop).at(99, hint).end == 100);
}

TEST_CASE("A cursor agrees with its schedule in any order of look-ups") {
    const Schedule schedule = three(End::loop);
    Cursor cursor(schedule, 1000);
    std::srand(1);
    for (int i = 0; i < 2000; ++i) {
        const Time time = std::rand() % 1000;
        std::size_t fresh = 0;
        const Span expected = schedule.at(time, fresh);
        const Span& span = cursor.at(1000 + time);
        CHECK(span.start == expected.start + 1000);
        CHECK(span.end == expected.end + 1000);
        CHECK(span.rate_bps == expected.rate_bps);
    }
}

const std::string kNone = " 0 0 0 0 0 0 0";

/// A line of a step that does the same both ways.
std::string step(const std::string& start, const std::string& values = "1 1 0") {
    return start + " " + values + kNone + " " + values + kNone + "\n";
}

TEST_CASE("The text form is read") {
    const LinkSchedule link = parse_schedule(
        "schedule 2 drop hold 2000\n0 1e6 5 0 1 .2 .3 .4 .5 .6 .7 inf 6 0.25" + kNone + "\n" + "1000 0.0 7 1" + kNone +
        " 2.5 8 0" + kNone + "\npacket up 3 lose 0\npacket down 2 delay 70\n" + "packet up 3 corrupt 0\n");
    std::size_t hint = 0;
    CHECK(link.outage == Outage::drop);
    CHECK(link.down.at(0, hint).rate_bps == 1e6);
    CHECK(link.down.at(0, hint).delay == 5);
    CHECK((link.down.at(0, hint).effects == Effects{1, .2, .3, .4, .5, .6, .7}));
    CHECK(link.up.at(0, hint).effects == Effects{});
    CHECK(std::isinf(link.up.at(0, hint).rate_bps));
    CHECK(link.up.at(0, hint).loss == 0.25);
    CHECK(link.down.at(1500, hint).rate_bps == 0);
    CHECK(link.up.at(5000, hint).rate_bps == 2.5);
    REQUIRE(link.down_events.size() == 1);
    CHECK(link.up_events.size() == 2);
    CHECK(link.down_events[0].number == 2);
    CHECK(link.down_events[0].action == Action::delay);
    CHECK(link.down_events[0].delay == 70);
    CHECK(link.up_events[1].action == Action::corrupt);
}

TEST_CASE("Text that is not a schedule is refused with its line") {
    auto refuse = [](const std::string& text) { return error_of([&] { parse_schedule(text); }); };
    const std::string head = "schedule 2 hold loop 9\n";
    CHECK(refuse("") == "schedule: has no steps");
    CHECK(refuse("schedule 1 drop hold 1\n" + step("0")).starts_with("schedule: line 1"));
    CHECK(refuse("schedule 2 keep hold 1\n" + step("0")) == "schedule: outage: 'keep' is not a choice");
    CHECK(refuse(head + "0 1 1 0 1 1\n") == "schedule: line 2: must have 21 fields");
    CHECK(refuse(head + step("0", "nan 1 0")).starts_with("schedule: line 2: 'nan'"));
    CHECK(refuse(head + step("0") + step("5", "-1 1 0")).starts_with("schedule: line 3: '-1'"));
    CHECK(refuse(head + step("0", "1 1.5 0")).starts_with("schedule: line 2: '1.5'"));
    CHECK(refuse(head + step("1")) == "the first step must start at 0");
    CHECK(refuse(head + step("0") + step("0")) == "the steps' times must rise strictly");
    CHECK(refuse(head + step("0") + step("9")) == "the duration must be after the last step");
    CHECK(refuse(head + step("0") + "packet down 0 lose 0\n").starts_with("schedule: line 3: '0'"));
    CHECK(refuse(head + step("0") + "packet down 1 eat 0\n") == "schedule: line 3: 'eat' is not a choice");
    CHECK(refuse(head + step("0") + "packet up 2 lose 0\npacket up 1 lose 0\n") ==
          "schedule: line 4: the packets' numbers must rise");
}

TEST_CASE("The start order is read") {
    const StartOrder order =
        parse_start("start first-packet 11000000 5 7 125000 codel 1 1500000 0 0 100 1 round-robin");
    CHECK(order.at_first_packet);
    CHECK(order.core_delay == 11 * kMs);
    CHECK(order.start_at == 5);
    CHECK(order.seed == 7);
    CHECK(order.slot == 125'000);
    CHECK(order.aqm == Aqm::codel);
    CHECK(order.ecn);
    CHECK(order.down.bytes == 1'500'000);
    CHECK(order.down.packets == 0);
    CHECK(order.up.bytes == 0);
    CHECK(order.up.packets == 100);
    CHECK(order.log_headers);
    CHECK(order.round_robin);
    const std::string rest = " 0 0 0 0 drop-tail 0 1 0 1 0 0 fifo";
    CHECK(error_of([&] { parse_start("start later" + rest); }) == "start: 'later' is not a choice");
    CHECK(error_of([] { parse_start("start now 0 0 0 0 red 0 1 0 1 0 0 fifo"); }) ==
          "start: aqm: 'red' is not a choice");
    CHECK(error_of([] { parse_start("start now 0 1 0"); }) == "start: must have 13 values");
}

}  // namespace
