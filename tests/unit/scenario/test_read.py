import re

import pytest

from mmwemu.core.errors import InputError
from mmwemu.scenario import draw, read
from mmwemu.scenario.model import (
    BeamSearch,
    Box,
    Core,
    LteRadio,
    MmwaveRadio,
    OutageRule,
    Rlc,
    Scenario,
    Traffic,
    Waypoint,
)

GOOD = """\
format = 1
name = "t"
duration_s = 4.0
[base_station]
position_m = [0, 0, 3]
[[route]]
time_s = 0
position_m = [75, 0, 1]
[[route]]
time_s = 2
position_m = [75, 3, 1]
[[boxes]]
x_m = [50, 56]
y_m = [0, 20]
z_m = [0, 15]
loss_db = 3
[radio.mmwave]
frame = "numerology3"
[radio.mmwave.rlc]
poll_retransmit_s = 0.005
"""


def test_reads_values_and_defaults():
    scenario = read.parse(GOOD, "t.toml")
    assert scenario.route[1].position_m == (75, 3, 1)
    assert scenario.boxes[0].loss_db == 3
    assert scenario.mmwave.frame == "numerology3"
    assert scenario.mmwave.rlc.poll_retransmit_s == 0.005
    assert scenario.mmwave.bandwidth_hz == 1e9
    assert scenario.traffic.rate_bps == 1001e6


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("duration_s = 4.0", "duration_s = nan", "t.toml: duration_s: is nan; must be a finite number"),
        ("duration_s = 4.0", "duration_s = 0", "t.toml: duration_s: is 0; must be at least 0.002"),
        ("duration_s = 4.0", "", "t.toml: duration_s: is missing; it is required"),
        ("time_s = 2", "time_s = 0", "t.toml: route[1].time_s: is 0, not after 0; a route must not run backwards"),
        ("time_s = 2", "time_s = 5", "t.toml: route[1].time_s: is 5, after the end of the scenario at 4"),
        ("time_s = 0", "time_s = 1", "t.toml: route[0].time_s: is 1; the route must start at 0"),
        (
            "x_m = [50, 56]",
            "x_m = [56, 56]",
            "t.toml: boxes[0].x_m: is [56, 56]; the first must be less than the second (no volume)",
        ),
        ("loss_db = 3", "los_db = 3", "t.toml: boxes[0].los_db: is not a known key; did you mean loss_db?"),
        ("numerology3", "nr", "t.toml: radio.mmwave.frame: is 'nr'; must be one of legacy, numerology2, numerology3"),
        ("format = 1", "format = 2", "t.toml: format: is 2; this mmwemu reads up to 1: install a newer mmwemu"),
        (
            "position_m = [0, 0, 3]",
            "position_m = [0, 0, 0]",
            "t.toml: base_station.position_m[2]: is 0; the height must be above 0",
        ),
    ],
)
def test_refuses_with_file_key_and_rule(old, new, message):
    with pytest.raises(InputError) as caught:
        read.parse(GOOD.replace(old, new, 1), "t.toml")
    assert str(caught.value) == message


def test_unknown_scenario_lists_the_shipped_ones():
    with pytest.raises(
        InputError, match=r"^s9: is neither a file nor a shipped scenario; shipped: .*s0-line-of-sight, s1-"
    ):
        read.load("s9")


def test_missing_file():
    with pytest.raises(InputError, match=r"nowhere\.toml: cannot be read: No such file"):
        read.load("nowhere.toml")


def test_shipped_scenarios_can_be_read_and_drawn(tmp_path):
    for name in read.shipped():
        draw.plot(read.load(name), tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


ALL = """\
format = 1
name = "all"
title = "All of it"
duration_s = 7.5
[base_station]
position_m = [1, 2, 3]
[[route]]
time_s = 0
position_m = [4, 5, 6]
[[route]]
time_s = 7.5
position_m = [7, 8, 0.5]
[[boxes]]
name = "house"
x_m = [1, 2]
y_m = [3, 4]
z_m = [-5, 6]
loss_db = 7.5
[traffic]
rate_bps = 2e6
payload_bytes = 1472
start_s = 0
[core]
delay_s = 0
[outage]
below_bps = 5e6
packets = "drop"
[radio.lte]
resource_blocks = 6
power_dbm = -10
rlc_buffer_bytes = 1
[radio.mmwave]
carrier_hz = 0.5e9
bandwidth_hz = 50e6
power_dbm = -3
noise_figure_db = 0
gnb_array = [1, 2]
ue_array = [3, 4]
path_loss = "uma"
beam = "svd"
frame = "numerology2"
harq = false
channel_update_s = 0.5
evolution = "consistent"
los_change = "diffraction"
shadowing = true
blockage = true
rlc_buffer_bytes = 9
[radio.mmwave.rlc]
poll_retransmit_s = 0.01
reordering_s = 0.02
status_prohibit_s = 0.03
[radio.mmwave.beam_search]
period_s = 10
sweep_s = 0.25
error_db = 2
"""


def test_every_key_is_read_into_its_field_and_ends_of_ranges_are_in_them():
    assert read.parse(ALL, "a.toml") == Scenario(
        name="all",
        title="All of it",
        duration_s=7.5,
        base_station_m=(1, 2, 3),
        route=(Waypoint(0, (4, 5, 6)), Waypoint(7.5, (7, 8, 0.5))),
        boxes=(Box((1, 2), (3, 4), (-5, 6), "house", 7.5),),
        traffic=Traffic(2e6, 1472, 0.0),
        core=Core(0.0),
        outage=OutageRule(5e6, "drop"),
        lte=LteRadio(6, -10.0, 1),
        mmwave=MmwaveRadio(
            carrier_hz=0.5e9, bandwidth_hz=50e6, power_dbm=-3.0, noise_figure_db=0.0, gnb_array=(1, 2), ue_array=(3, 4),
            path_loss="uma", beam="svd", frame="numerology2", harq=False, channel_update_s=0.5, rlc_buffer_bytes=9,
            rlc=Rlc(0.01, 0.02, 0.03), evolution="consistent", los_change="diffraction", shadowing=True,
            blockage=True, beam_search=BeamSearch(10, 0.25, 2),
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.5e9", "0.4e9", "radio.mmwave.carrier_hz: is 400000000; must be at least 500000000"),
        ("50e6", "49e6", "radio.mmwave.bandwidth_hz: is 49000000; must be at least 50000000"),
        ("noise_figure_db = 0", "noise_figure_db = -1", "radio.mmwave.noise_figure_db: is -1; must be at least 0"),
        (
            "[1, 2]\nue",
            "[0, 2]\nue",
            "radio.mmwave.gnb_array[0]: is 0; must be at least 1",
        ),
        (
            "ue_array = [3, 4]",
            "ue_array = [3, 4.5]",
            "radio.mmwave.ue_array: is [3, 4.5]; must be two whole numbers (rows, columns)",
        ),
        (
            "ue_array = [3, 4]",
            "ue_array = [1.5, 4]",
            "radio.mmwave.ue_array: is [1.5, 4]; must be two whole numbers (rows, columns)",
        ),
        (
            "channel_update_s = 0.5",
            "channel_update_s = 0",
            "radio.mmwave.channel_update_s: is 0; must be at least 0.001",
        ),
        (
            "poll_retransmit_s = 0.01",
            "poll_retransmit_s = 0",
            "radio.mmwave.rlc.poll_retransmit_s: is 0; must be at least 1e-06",
        ),
        ("reordering_s = 0.02", "reordering_s = 0", "radio.mmwave.rlc.reordering_s: is 0; must be at least 1e-06"),
        ("prohibit_s = 0.03", "prohibit_s = 0", "radio.mmwave.rlc.status_prohibit_s: is 0; must be at least 1e-06"),
        ("buffer_bytes = 9", "buffer_bytes = 0", "radio.mmwave.rlc_buffer_bytes: is 0; must be at least 1"),
        ("blocks = 6", "blocks = 7", "radio.lte.resource_blocks: is 7; LTE has 6, 15, 25, 50, 75 or 100"),
        ("rate_bps = 2e6", "rate_bps = 0", "traffic.rate_bps: is 0; must be at least 1"),
        ("1472", "1473", "traffic.payload_bytes: is 1473; at most 1472 fit a 1500-byte packet"),
        ("start_s = 0", "start_s = -1", "traffic.start_s: is -1; must be "),
        ("delay_s = 0", "delay_s = -1", "core.delay_s: is -1; must be "),
        ("below_bps = 5e6", "below_bps = -1", "outage.below_bps: is -1; must be "),
        ("loss_db = 7.5", "loss_db = -1", "boxes[0].loss_db: is -1; must be "),
        ("y_m = [3, 4]", "y_m = [4, 3]", "boxes[0].y_m: is [4, 3]; the first must be less than the second (no volume)"),
        ("[7, 8, 0.5]", "[7, 8, -1]", "route[1].position_m[2]: is -1; the height must be above 0"),
        ("time_s = 0", "time_s = -1", "route[0].time_s: is -1; must be "),
        ("time_s = 7.5", "time_s = 7.6", "route[1].time_s: is 7.6, after the end of the scenario at 7.5"),
        ('name = "all"', 'name = "all"\nroute = []\n[x]', "route: has no waypoint; at least one [[route]] is needed"),
    ],
)
def test_values_out_of_their_range_are_refused(old, new, message):
    assert old in ALL
    text = (
        ALL.replace(old, new, 1)
        if "[x]" not in new
        else 'format = 1\nname = "n"\nduration_s = 1\n' + ("route = []\n[base_station]\nposition_m = [0, 0, 1]\n")
    )
    with pytest.raises(InputError) as caught:
        read.parse(text, "a.toml")
    assert str(caught.value).startswith(f"a.toml: {message}")


RANGES = [
    ("duration_s = 7.5", "duration_s", "", ("3600", "3600.1"), None),
    ("carrier_hz = 0.5e9", "carrier_hz", "radio.mmwave.", ("1e+11", "1.1e+11"), ("500000000", "499999999")),
    ("bandwidth_hz = 50e6", "bandwidth_hz", "radio.mmwave.", ("4000000000", "4000000001"), ("50000000", "49999999")),
    ("power_dbm = -10", "power_dbm", "radio.lte.", ("80", "80.1"), ("-50", "-50.1")),
    ("power_dbm = -3", "power_dbm", "radio.mmwave.", ("80", "80.1"), ("-50", "-50.1")),
    ("noise_figure_db = 0", "noise_figure_db", "radio.mmwave.", ("50", "50.1"), ("0", "-0.1")),
    ("channel_update_s = 0.5", "channel_update_s", "radio.mmwave.", ("3600", "3600.1"), ("0.001", "0.0009")),
    ("poll_retransmit_s = 0.01", "poll_retransmit_s", "radio.mmwave.rlc.", ("10", "10.1"), ("1e-06", "9e-07")),
    ("reordering_s = 0.02", "reordering_s", "radio.mmwave.rlc.", ("10", "10.1"), ("1e-06", "9e-07")),
    ("status_prohibit_s = 0.03", "status_prohibit_s", "radio.mmwave.rlc.", ("10", "10.1"), ("1e-06", "9e-07")),
    ("period_s = 10", "period_s", "radio.mmwave.beam_search.", ("10", "10.1"), None),
    ("sweep_s = 0.25", "sweep_s", "radio.mmwave.beam_search.", None, ("0", "-0.1")),
    ("error_db = 2", "error_db", "radio.mmwave.beam_search.", ("30", "30.1"), ("0", "-0.1")),
    ("rlc_buffer_bytes = 1", "rlc_buffer_bytes", "radio.lte.", ("4294967295", "4294967296"), ("1", "0")),
    ("rlc_buffer_bytes = 9", "rlc_buffer_bytes", "radio.mmwave.", ("4294967295", "4294967296"), ("1", "0")),
    ("rate_bps = 2e6", "rate_bps", "traffic.", ("1e+11", "1.1e+11"), ("1", "0.9")),
    ("start_s = 0", "start_s", "traffic.", ("3600", "3600.1"), ("0", "-0.1")),
    ("payload_bytes = 1472", "payload_bytes", "traffic.", None, ("8", "7")),
    ("delay_s = 0", "delay_s", "core.", ("10", "10.1"), ("0", "-0.1")),
    ("below_bps = 5e6", "below_bps", "outage.", ("1e+12", "1.1e+12"), ("0", "-0.1")),
    ("loss_db = 7.5", "loss_db", "boxes[0].", ("300", "300.1"), ("0", "-0.1")),
]


@pytest.mark.parametrize(("line", "key", "table", "most", "least"), RANGES)
def test_both_ends_of_each_range_are_in_it_and_what_is_beyond_is_not(line, key, table, most, least):
    assert ALL.count(f"\n{line}\n") == 1
    for ends, rule in ((most, "at most"), (least, "at least")):
        if ends is None:
            continue
        texts = [ALL.replace(f"\n{line}\n", f"\n{key} = {value}\n") for value in ends]
        read.parse(texts[0], "a.toml")
        with pytest.raises(InputError) as caught:
            read.parse(texts[1], "a.toml")
        assert str(caught.value) == f"a.toml: {table}{key}: is {ends[1]}; must be {rule} {ends[0]}"


@pytest.mark.parametrize(
    ("old", "good", "bad", "message"),
    [
        ("ue_array = [3, 4]", "[32, 32]", "[33, 1]", "radio.mmwave.ue_array[0]: is 33; must be at most 32"),
        ("gnb_array = [1, 2]", "[1, 32]", "[1, 33]", "radio.mmwave.gnb_array[1]: is 33; must be at most 32"),
        (
            "position_m = [1, 2, 3]",
            "[-1e6, 1e6, 1e6]",
            "[-1000001, 2, 3]",
            "base_station.position_m[0]: is -1000001; must be at least -1000000",
        ),
        (
            "position_m = [4, 5, 6]",
            "[1e6, 1e6, 1e6]",
            "[4, 1000001, 6]",
            "route[0].position_m[1]: is 1000001; must be at most 1000000",
        ),
        ("x_m = [1, 2]", "[-1e6, 1e6]", "[1, 1000001]", "boxes[0].x_m[1]: is 1000001; must be at most 1000000"),
    ],
)
def test_lists_have_the_range_in_each_place(old, good, bad, message):
    key = old.partition(" ")[0]
    assert ALL.count(old) == 1
    # Without the table of LTE, whose path loss does not hold over 1000 km.
    start, _, rest = ALL.partition("[radio.lte]")
    far = start + rest[rest.index("\n[") :]
    read.parse(far.replace(old, f"{key} = {good}"), "a.toml")
    with pytest.raises(InputError) as caught:
        read.parse(ALL.replace(old, f"{key} = {bad}"), "a.toml")
    assert str(caught.value) == f"a.toml: {message}"


@pytest.mark.parametrize("blocks", [6, 15, 25, 50, 75, 100])
def test_lte_has_these_bandwidths(blocks):
    text = ALL.replace("resource_blocks = 6", f"resource_blocks = {blocks}")
    assert read.parse(text, "a.toml").lte.resource_blocks == blocks


@pytest.mark.parametrize(
    ("table", "place"),
    [("[radio]", "radio.x"), ("[radio.lte]", "radio.lte.x"), ("[radio.mmwave]", "radio.mmwave.x"),
     ("[radio.mmwave.rlc]", "radio.mmwave.rlc.x"), ("[traffic]", "traffic.x"), ("[core]", "core.x"),
     ("[outage]", "outage.x"), ("[base_station]", "base_station.x"), ("[[route]]", "route[0].x"), ("format = 1", "x")],
)  # fmt: skip
def test_an_unknown_key_is_refused_in_every_table(table, place):
    text = ALL.replace(table, f"{table}\nx = 1", 1) if table in ALL else f"{ALL}[radio]\nx = 1\n"
    with pytest.raises(InputError, match=re.escape(f"a.toml: {place}: is not a known key")):
        read.parse(text, "a.toml")


def test_a_shipped_scenario_has_a_short_name():
    assert read.load("s1") == read.load("s1-long-nlos")
    with pytest.raises(InputError, match="s1-long: is neither a file nor a shipped scenario"):
        read.load("s1-long")


@pytest.mark.parametrize(
    ("radio", "message"),
    [
        ('los_change = "diffraction"', 'radio.mmwave.los_change: is "diffraction"; it needs evolution = "consistent"'),
        ('beam = "codebook"', 'radio.mmwave.beam: is "codebook"; it needs evolution = "consistent"'),
        (
            "[radio.mmwave.beam_search]\nperiod_s = 0.01\nsweep_s = 0.01",
            "radio.mmwave.beam_search.sweep_s: is 0.01; must be less than period_s, 0.01",
        ),
    ],
)
def test_settings_that_do_not_go_together_are_refused(radio, message):
    text = ALL.partition("[radio.lte]")[0] + f"[radio.mmwave]\n{radio}\n"
    with pytest.raises(InputError) as caught:
        read.parse(text, "a.toml")
    assert str(caught.value) == f"a.toml: {message}"
