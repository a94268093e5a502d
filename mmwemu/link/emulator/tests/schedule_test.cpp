#include "core/schedule.h"

#include "tests/helpers.h"

namespace {

using namespace testing;

Schedule three(End end) {
    return Schedule({{0, 1e6, 1, 0}, {10, 2e6, 2, 0}, {30, 3e6, 3, 0.5}}, 100, end);
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

}  // namespace
