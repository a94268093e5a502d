"""Several UEs, the uplink, TTI and scheduler in a scenario."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.scenario import draw, geometry, read
from mmwemu.scenario.model import MmwaveRadio, Uplink, Waypoint
from mmwemu.scenario.ues import NEAREST_M, alone

HEAD = """\
format = 1
name = "n"
duration_s = 4.0
[base_station]
position_m = [10, -20, 3]
"""
ROUTE = """\
[[route]]
time_s = 0
position_m = [75, 0, 1]
"""
LISTED = """\
[[ues]]
rate_bps = 2e9
start_s = 0.5
[[ues.route]]
time_s = 0
position_m = [30, 0, 1]
[[ues.route]]
time_s = 4
position_m = [40, 0, 1]
[[ues]]
rate_bps = 0
route = [{ time_s = 0, position_m = [75, 0, 1] }]
"""
DISC = """\
[ue_disc]
count = 20
radius_m = 100
"""
BOX = """\
[[boxes]]
x_m = [50, 56]
y_m = [-5, 5]
z_m = [0, 20]
"""
UPLINK = "[radio.mmwave.uplink]\nshare = 0.2\n"


def problem(text):
    with pytest.raises(InputError) as caught:
        read.parse(text, "a.toml")
    return str(caught.value)


def test_listed_ues_have_routes_and_traffic_of_their_own():
    scenario = read.parse(HEAD + LISTED + "[traffic]\nrate_bps = 5e6\nuplink_rate_bps = 1e6\n" + UPLINK, "a.toml")
    first, second = scenario.ues
    assert (first.rate_bps, first.uplink_rate_bps, first.start_s) == (2e9, 1e6, 0.5)
    assert (second.rate_bps, second.uplink_rate_bps, second.start_s) == (0, 1e6, 0.1)
    assert first.route[1] == Waypoint(4, (40, 0, 1))
    assert scenario.route == first.route


def test_one_listed_ue_is_the_scenario_with_that_route_and_traffic():
    text = "[[ues]]\nrate_bps = 7\nroute = [{ time_s = 0, position_m = [75, 0, 1] }]\n"
    assert read.parse(HEAD + text, "a.toml") == read.parse(HEAD + ROUTE + "[traffic]\nrate_bps = 7\n", "a.toml")
    assert problem(HEAD + text.replace("7\n", "0\n", 1)) == "a.toml: ues[0].rate_bps: is 0; must be at least 1"


def test_each_ue_alone_is_a_scenario_of_one():
    scenario = read.parse(HEAD + LISTED, "a.toml")
    ones = alone(scenario)
    assert [one.ues for one in ones] == [(), ()]
    assert [one.route for one in ones] == [ue.route for ue in scenario.ues]
    assert [one.traffic.rate_bps for one in ones] == [2e9, 0]
    one = read.parse(HEAD + ROUTE, "a.toml")
    assert alone(one) == (one,)


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.floats(10.1, 500))
def test_a_disc_has_its_ues_round_the_base_station_outside_boxes(seed, count, radius_m):
    disc = f"[ue_disc]\ncount = {count}\nradius_m = {radius_m}\nseed = {seed}\nheight_m = 2\n"
    scenario = read.parse(HEAD + disc + BOX, "a.toml")
    assert scenario == read.parse(HEAD + disc + BOX, "a.toml")
    ones = alone(scenario)
    assert len(ones) == count
    for one in ones:
        ((x, y, z),) = [waypoint.position_m for waypoint in one.route]
        assert NEAREST_M - 0.001 <= math.hypot(x - 10, y + 20) <= radius_m + 0.001
        assert z == 2
        where = np.array([[x, y, z]])
        assert not geometry.crosses(scenario.boxes[0], where, where)[0]


def test_places_in_a_disc_are_even_over_its_area():
    found = [
        math.hypot(ue.route[0].position_m[0] - 10, ue.route[0].position_m[1] + 20)
        for seed in range(50)
        for ue in read.parse(HEAD + DISC + f"seed = {seed}\n", "a.toml").ues
    ]
    # Half of the area of the ring from 10 to 100 m is within 71.06 m.
    assert np.mean(np.array(found) < math.sqrt((10**2 + 100**2) / 2)) == pytest.approx(0.5, abs=0.05)


def test_a_map_shows_all_ues(tmp_path):
    draw.plot(read.parse(HEAD + DISC + BOX, "a.toml"), tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "route: has no waypoint; at least one [[route]] is needed"),
        (ROUTE + LISTED, "ues: is given beside route; a scenario has one of route, ues and ue_disc"),
        (LISTED + DISC, "ue_disc: is given beside ues; a scenario has one of route, ues and ue_disc"),
        ("ues = []\n", "ues: has 0 UEs; must have 1 to 20"),
        ("[[ues]]\nroute = [{ time_s = 0, position_m = [1, 1, 1] }]\n" * 21, "ues: has 21 UEs; must have 1 to 20"),
        ("[[ues]]\n", "ues[0].route: has no waypoint; at least one [[route]] is needed"),
        (LISTED.replace("2e9", "-1"), "ues[0].rate_bps: is -1; must be at least 0"),
        (LISTED.replace("rate_bps = 0", "rate_bp = 0"), "ues[1].rate_bp: is not a known key; did you mean rate_bps?"),
        (LISTED.replace("time_s = 4", "time_s = 5"), "ues[0].route[1].time_s: is 5, after the end of the"),
        (DISC.replace("20", "21"), "ue_disc.count: is 21; must be at most 20"),
        (DISC.replace("20", "0"), "ue_disc.count: is 0; must be at least 1"),
        (DISC.replace("100", "10"), "ue_disc.radius_m: is 10; must be above 10"),
        (DISC + "height_m = 0\n", "ue_disc.height_m: is 0; must be above 0"),
        (DISC + "speed = 1\n", "ue_disc.speed: is not a known key"),
        (
            DISC + BOX.replace("[50, 56]", "[-900, 900]").replace("[-5, 5]", "[-900, 900]"),
            "ue_disc.radius_m: is 100; boxes leave no room for 20 UEs",
        ),
        (
            ROUTE.replace("75", "53") + BOX,
            "route: has the UE inside boxes[0], at or after waypoint 1; a UE must stay outside",
        ),
        (
            LISTED.replace("[40,", "[60,") + BOX,
            "ues[0].route: has the UE inside boxes[0], at or after waypoint 1; a UE must stay outside",
        ),
        (ROUTE + "[radio.mmwave]\ntti = 'short'\n", "radio.mmwave.tti: is 'short'; must be one of fixed, flexible"),
        (
            ROUTE + "[radio.mmwave]\nscheduler = 'fifo'\n",
            "radio.mmwave.scheduler: is 'fifo'; must be one of round-robin, proportional-fair",
        ),
        (
            ROUTE + UPLINK.replace("0.2", "0.001"),
            "radio.mmwave.uplink.share: is 0.001; must be 0 (no uplink) or at least 0.01",
        ),
        (ROUTE + UPLINK.replace("0.2", "0.95"), "radio.mmwave.uplink.share: is 0.95; must be at most 0.9"),
        (ROUTE + UPLINK + "power = 1\n", "radio.mmwave.uplink.power: is not a known key; did you mean power_dbm?"),
        (
            ROUTE + "[traffic]\nuplink_rate_bps = 1e6\n",
            "traffic.uplink_rate_bps: is above 0; it needs radio.mmwave.uplink.share above 0, too",
        ),
    ],
)  # fmt: skip
def test_bad_ues_and_uplinks_are_refused_with_key_and_rule(text, message):
    top = HEAD.replace("[base_station]", text + "[base_station]") if text == "ues = []\n" else HEAD + text
    assert problem(top).startswith(f"a.toml: {message}")


def test_a_ue_may_touch_a_box():
    read.parse(HEAD + ROUTE.replace("75", "56") + BOX, "a.toml")


def test_the_mmwave_cell_has_no_uplink_and_a_fixed_tti_unless_it_says_so():
    radio = MmwaveRadio()
    assert (radio.tti, radio.scheduler, radio.uplink) == ("fixed", "round-robin", Uplink(0.0, 23.0, 5.0))
    radio = read.parse(
        HEAD + ROUTE + "[radio.mmwave]\ntti = 'flexible'\nscheduler = 'proportional-fair'\n" + UPLINK
        + "power_dbm = 20\nnoise_figure_db = 7\n", "a.toml").mmwave  # fmt: skip
    assert (radio.tti, radio.scheduler, radio.uplink) == ("flexible", "proportional-fair", Uplink(0.2, 20.0, 7.0))
