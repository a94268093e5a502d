// SPDX-License-Identifier: GPL-2.0-only
#include "core/harq.h"

#include "core/link_model.h"
#include "tests/near.h"
#include "tests/simple_tables.h"

using namespace mmwemu;

TEST_CASE("A failed block comes back after four slots") {
    Harq harq(true);
    CHECK(harq.failed(10, {5, 100, {}, 1, 0.5}));
    CHECK(!harq.due(13));
    const auto block = harq.due(14);
    REQUIRE(block.has_value());
    CHECK(block->mcs == 5);
    CHECK(block->bytes == 100);
    CHECK(!harq.due(15));
}

TEST_CASE("A block is lost after four attempts, without HARQ after one") {
    CHECK(Harq(true).failed(0, {0, 1, {}, 3, 0}));
    CHECK(!Harq(true).failed(0, {0, 1, {}, 4, 0}));
    CHECK(!Harq(false).failed(0, {0, 1, {}, 1, 0}));
}

TEST_CASE("The highest MCS that works is chosen") {
    const LinkModel link(simple_tables(), make_frame(FrameKind::kLegacy, 1e9));
    CHECK(link.choose_mcs({0.05, 0.05, 0.05}) == 10);
    CHECK(link.choose_mcs({30, 30, 30}) == 28);
    CHECK(link.choose_mcs({-15, -15, -15}) == 0);
    CHECK(!link.in_range({-15, -15, -15}, 1));
    CHECK(link.in_range({-15, -15, -15}, 4));
    CHECK(!link.in_range({-60, -60, -60}, 4));
}

TEST_CASE("The effective SINR comes from the mean information of the bands") {
    const LinkModel link(simple_tables(), make_frame(FrameKind::kLegacy, 1e9));
    const std::vector<double> bands{1.0, 100.0};  // 0 and 20 dB
    for (const double sinr_db : link.effective_db(bands)) CHECK(sinr_db == Near(10, 0.11));
    const std::vector<double> dead{0.0, 0.0};
    for (const double sinr_db : link.effective_db(dead)) CHECK(sinr_db == Near(-20, 1e-9));
}

TEST_CASE("The block error rate grows with the number of code blocks") {
    LinkTables tables = simple_tables();
    for (auto& curve : tables.code_block_error) curve.fill(0.01);
    const LinkModel link(tables, make_frame(FrameKind::kLegacy, 1e9));
    CHECK(link.block_error(28, 0) == Near(1 - std::pow(0.99, 52), 1e-9));
}
