// SPDX-License-Identifier: GPL-2.0-only
#include "core/geometry.h"

#include "tests/near.h"

using namespace mmwemu;

namespace {

const Box kUnit{{0, 0, 0}, {1, 1, 1}, 5};

}  // namespace

TEST_CASE("A ray that passes through a box crosses it") {
    CHECK(crosses(kUnit, {-1, 0.5, 0.5}, {2, 0.5, 0.5}));
    CHECK(crosses(kUnit, {2, 0.5, 0.5}, {-1, 0.5, 0.5}));
    CHECK(crosses(kUnit, {-1, -1, -1}, {2, 2, 2}));
    CHECK(crosses(kUnit, {0.5, 0.5, 0.5}, {5, 5, 5}));
    CHECK(crosses(kUnit, {0.2, 0.2, 0.2}, {0.8, 0.8, 0.8}));
}

TEST_CASE("A ray that passes by a box does not cross it") {
    CHECK(!crosses(kUnit, {-1, 2, 0.5}, {2, 2, 0.5}));
    CHECK(!crosses(kUnit, {-2, 0.5, 0.5}, {-1, 0.5, 0.5}));  // ends before it
    CHECK(!crosses(kUnit, {-1, 0.5, 0.5}, {0, 0.5, 0.5}));   // ends at its side
    CHECK(!crosses(kUnit, {-1, 1, 0.5}, {2, 1, 0.5}));       // along its side
    CHECK(!crosses(kUnit, {-1, 0.5, 3}, {2, 0.5, 1.01}));    // over it
}

TEST_CASE("The losses of crossed boxes add up") {
    const std::vector<Box> boxes{kUnit, {{2, 0, 0}, {3, 1, 1}, 7}, {{2, 5, 0}, {3, 6, 1}, 100}};
    const Sight both = look(boxes, {-1, 0.5, 0.5}, {4, 0.5, 0.5});
    CHECK(!both.los);
    CHECK(both.loss_db == Near(12, 1e-12));
    const Sight none = look(boxes, {-1, 3, 0.5}, {4, 3, 0.5});
    CHECK(none.los);
    CHECK(none.loss_db == Near(0, 0));
}

TEST_CASE("A route is linear between waypoints and rests outside them") {
    const Route route({{0, {75, -0.2, 1}}, {2, {75, -0.2, 1}}, {32, {75, 44.8, 1}}});
    CHECK(route.position_m(0).y == Near(-0.2, 1e-12));
    CHECK(route.position_m(2).y == Near(-0.2, 1e-12));
    CHECK(route.position_m(12).y == Near(14.8, 1e-9));
    CHECK(route.position_m(50).y == Near(44.8, 1e-12));
    CHECK(route.along_m(2) == Near(0, 0));
    CHECK(route.along_m(12) == Near(15, 1e-9));
    CHECK(route.along_m(50) == Near(45, 1e-9));
    CHECK(route.velocity_mps(1).y == Near(0, 0));
    CHECK(route.velocity_mps(2).y == Near(1.5, 1e-12));
    CHECK(route.velocity_mps(32).y == Near(0, 0));
}

TEST_CASE("The first scenario of Hurtig 2019 loses line of sight at the paper's times") {
    const Route route({{0, {75, -0.2, 1}}, {2, {75, -0.2, 1}}, {32, {75, 44.8, 1}}});
    const std::vector<Box> boxes{{{50, 0, 0}, {56, 20, 15}, 0}};
    std::vector<int> changes_ms;
    bool before = true;
    for (int ms = 0; ms < 40'000; ++ms) {
        const bool los = look(boxes, {0, 0, 3}, route.position_m(ms / 1000.0)).los;
        if (los != before) changes_ms.push_back(ms);
        before = los;
    }
    CHECK((changes_ms == std::vector<int>{2134, 22134}));
}
