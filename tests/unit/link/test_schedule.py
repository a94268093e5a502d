import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.link import schedule
from mmwemu.pattern.model import Direction, PacketEvent, Pattern


def test_a_pattern_is_written_with_whole_nanoseconds(make_pattern):
    text = schedule.render(make_pattern([1e6, np.inf, 0], delay_s=0.0125, loss=0.25, outage="drop", end="stop"))
    assert text == (
        "schedule 2 drop stop 1500000000\n"
        + "0" + 2 * " 1000000.0 12500000 0.25 0 0.0 0.0 0.0 0.0 0.0 0.0" + "\n"
        + "500000000" + 2 * " inf 12500000 0.25 0 0.0 0.0 0.0 0.0 0.0 0.0" + "\n"
        + "1000000000" + 2 * " 0.0 12500000 0.25 0 0.0 0.0 0.0 0.0 0.0 0.0" + "\n"
    )  # fmt: skip


def test_effects_and_packets_are_written_in_order():
    one, zero = np.ones(1), np.zeros(1)
    names = ("jitter_s", "duplication", "bit_error", "reordering", "gilbert_p", "gilbert_r", "loss_bad")
    down = Direction(one, zero, zero, **{name: np.array([(i + 1) / 16]) for i, name in enumerate(names)})
    events = (PacketEvent("uplink", 9, "delay", 0.5), PacketEvent("downlink", 2, "lose"))
    lines = schedule.render(Pattern(zero, 1.0, down, Direction(one, zero, zero), packets=events)).splitlines()
    assert lines[1].split()[1:11] == [
        "1.0",
        "0",
        "0.0",
        "62500000",
        "0.125",
        "0.1875",
        "0.25",
        "0.3125",
        "0.375",
        "0.4375",
    ]
    assert lines[2:] == ["packet down 2 lose 0", "packet up 9 delay 500000000"]


def test_steps_that_change_nothing_are_left_out(make_pattern):
    lines = schedule.render(make_pattern([1e6] * 100 + [2e6] * 100)).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["0", "50000000000"]


def test_steps_closer_than_a_nanosecond_are_refused():
    both = Direction(np.ones(2), np.zeros(2), np.zeros(2))
    with pytest.raises(InputError, match="row 1: lasts less than a nanosecond"):
        schedule.render(Pattern(np.array([0, 1e-10]), 1.0, both, both))


def test_capacity_is_the_integral_whatever_follows_the_end(make_pattern):
    times_s = np.array([0.25, 0.75, 1.25, 3.0])
    cases = {"loop": [0.75, 0.75, 2.75], "hold": [0.75, 1.0, 3.5], "stop": [0.75, 0.5, 0.0]}
    for end, expected in cases.items():
        pattern = make_pattern([8e6, 16e6], end=end)
        bytes_ = schedule.capacity_bytes(pattern, pattern.downlink, times_s)
        assert bytes_ == pytest.approx(np.array(expected) * 1e6)


def test_an_unlimited_step_makes_the_capacity_of_what_it_touches_unlimited(make_pattern):
    pattern = make_pattern([8e6, np.inf, 0], end="hold")
    bytes_ = schedule.capacity_bytes(pattern, pattern.downlink, np.array([0, 0.5, 0.75, 1.25, 9.0]))
    assert bytes_.tolist() == [500_000, np.inf, np.inf, 0]


@given(
    rates=st.lists(st.floats(0, 1e9), min_size=1, max_size=20),
    end=st.sampled_from(["loop", "hold", "stop"]),
    times=st.lists(st.floats(0, 100), min_size=3, max_size=3),
)
def test_capacities_add_up(rates, end, times):
    n = len(rates)
    direction = Direction(np.array(rates), np.zeros(n), np.zeros(n))
    pattern = Pattern(np.arange(n) * 0.1, n * 0.1, direction, direction, end=end)
    first, middle, last = sorted(times)
    parts = schedule.capacity_bytes(pattern, direction, np.array([first, middle, last]))
    whole = schedule.capacity_bytes(pattern, direction, np.array([first, last]))
    assert parts.sum() == pytest.approx(whole[0], rel=1e-9, abs=1e-3 * (1 + max(rates) * 1e-6))
