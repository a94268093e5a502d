// SPDX-License-Identifier: GPL-2.0-only
#include "core/config.h"

#include "tests/near.h"

using namespace mmwemu;

namespace {

const std::string kLte =
    "# a comment\n\nformat 1\nrat lte\nseed 7\nduration_s 1.5\nbase_station 0 0 3\nwaypoint 0 75 0 1\n"
    "waypoint 1e0 75 1 1\nbox 1 2 3 4 5 6 60\npower_dbm 30\nrlc_buffer_bytes 1000000\n"
    "rate_bps 1001e6\npayload_bytes 1400\nstart_s 0.1\ncore_delay_s 0.01\nresource_blocks 100\n";

std::string problem(const std::string& text) {
    try {
        parse_config("c", text);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("A config is read") {
    const Config config = parse_config("c", kLte);
    CHECK(config.rat == Rat::kLte);
    CHECK(config.seed == 7);
    CHECK(config.bins() == 1500);
    CHECK(config.ues.at(0).route.size() == 2);
    REQUIRE(config.boxes.size() == 1);
    CHECK(config.boxes[0].high.z == Near(6, 0));
    CHECK(config.boxes[0].loss_db == Near(60, 0));
    CHECK(config.traffic_start == 100 * kMillisecond);
    CHECK(config.core_delay == 10 * kMillisecond);
}

TEST_CASE("An error in a config names its line") {
    CHECK(problem(kLte + "colour red\n") == "c:18: colour: unknown record");
    CHECK(problem(kLte + "seed 8\n") == "c:18: seed: given twice");
    CHECK(problem("rat umts\n") == "c:1: rat: 'umts' is none of lte, mmwave");
    CHECK(problem("duration_s 4x\n") == "c:1: duration_s: '4x' is not a number this record takes");
    CHECK(problem("duration_s nan\n") == "c:1: duration_s: 'nan' is not finite");
    CHECK(problem("duration_s\n") == "c:1: duration_s: has 0 values; it takes 1");
    CHECK(problem("payload_bytes -3\n") == "c:1: payload_bytes: '-3' is not a number this record takes");
    CHECK(problem("format 2\n") == "c:1: format: 2 is not in 1 to 1");
    CHECK(problem("waypoint 1 0 0 0\n") == "c:1: waypoint: the first waypoint is at 1 s; it must be at 0");
    CHECK(problem("waypoint 0 0 0 0\nwaypoint 0 1 0 0\n") ==
          "c:2: waypoint: time 0 s is not after the waypoint before");
    CHECK(problem("box 1 1 0 1 0 1 0\n") == "c:1: box: a side is not positive");
}

TEST_CASE("A config must have all records of its RAT") {
    CHECK(problem("rat lte\n") == "c: record 'base_station' is missing");
    std::string mmwave = kLte;
    mmwave.replace(mmwave.find("rat lte"), 7, "rat mmwave");
    CHECK(problem(mmwave) == "c: record 'bandwidth_hz' is missing");
}

TEST_CASE("LTE needs heights above 0") {
    std::string text = kLte;
    text.replace(text.find("base_station 0 0 3"), 18, "base_station 0 0 0");
    CHECK(problem(text) == "c: base_station, waypoint: the LTE path loss needs heights above 0");
}
