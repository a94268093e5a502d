import pytest

from mmwemu.core.errors import InputError
from mmwemu.scenario import draw, read

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
        InputError, match=r"^s9: is neither a file nor a shipped scenario; shipped: s0-line-of-sight, s1-"
    ):
        read.load("s9")


def test_missing_file():
    with pytest.raises(InputError, match=r"nowhere\.toml: cannot be read: No such file"):
        read.load("nowhere.toml")


def test_shipped_scenarios_can_be_read_and_drawn(tmp_path):
    for name in read.shipped():
        draw.plot(read.load(name), tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
