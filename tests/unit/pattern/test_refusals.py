"""What a pattern and an effect on a packet refuse, with the row, and what they take."""

import math

import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.pattern.model import EFFECTS, Direction, PacketEvent, Pattern


def direction(n, **changes):
    return Direction(**({"rate_bps": np.ones(n), "delay_s": np.zeros(n), "loss": np.zeros(n)} | changes))


def pattern(time_s, duration_s, down=None, up=None, **options):
    n = len(time_s)
    return Pattern(np.array(time_s, dtype=float), duration_s, down or direction(n), up or direction(n), **options)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (("sidelink", 1, "lose"), "direction: is 'sidelink'; must be downlink or uplink"),
        (("uplink", 0, "lose"), "number: is 0; packets are counted from 1"),
        (("uplink", 2**63, "lose"), "number: is 9223372036854775808; packets are counted from 1"),
        (("uplink", 1, "eat"), "action: is 'eat'; must be one of lose, duplicate, corrupt, delay"),
        (("uplink", 1, "delay"), "delay_s: is 0; must be above 0 and at most 3600 with delay, else 0"),
        (("uplink", 1, "lose", 0.5), "delay_s: is 0.5; must be above 0 and at most 3600 with delay, else 0"),
        (("uplink", 1, "delay", -1.0), "delay_s: is -1; must be above 0 and at most 3600 with delay, else 0"),
        (("uplink", 1, "delay", math.inf), "delay_s: is inf; must be above 0 and at most 3600 with delay, else 0"),
        (("uplink", 1, "delay", 3600.5), "delay_s: is 3600.5; must be above 0 and at most 3600 with delay, else 0"),
    ],
)
def test_an_effect_on_a_packet_that_makes_no_sense_is_refused(event, message):
    with pytest.raises(InputError) as caught:
        PacketEvent(*event)
    assert str(caught.value).startswith(message)


def test_packets_are_counted_from_1_to_what_the_emulator_can_count():
    assert [PacketEvent("downlink", number, "lose").number for number in (1, 2**63 - 1)] == [1, 2**63 - 1]
    assert [PacketEvent("downlink", 1, "delay", delay_s).delay_s for delay_s in (1e-9, 3600.0)] == [1e-9, 3600.0]


@pytest.mark.parametrize(
    ("make", "message", "row"),
    [
        (lambda: pattern([], 1.0), "pattern: has no rows; at least one step is needed", None),
        (lambda: pattern([0], math.inf), "pattern: time_s: must be finite numbers", None),
        (lambda: pattern([0, math.nan], 1.0), "pattern: time_s: must be finite numbers", None),
        (lambda: pattern([1], 2.0), "pattern: time_s: starts at 1; the first step must start at 0", None),
        (
            lambda: pattern([0, 1, 1], 2.0),
            "pattern: row 2: time 1 s is not before 1 s; times must rise strictly up to duration_s",
            1,
        ),
        (
            lambda: pattern([0, 1, 2], 1.5),
            "pattern: row 3: time 2 s is not before 1.5 s; times must rise strictly up to duration_s",
            2,
        ),
        (
            lambda: pattern([0, 1], 2.0, direction(3)),
            "pattern: downlink_rate_bps: has 3 values where time_s has 2",
            None,
        ),
        (
            lambda: pattern([0, 1], 2.0, up=direction(2, loss=np.array([0, 1.1]))),
            "pattern: row 2: uplink_loss: is 1.1; must be from 0 to 1",
            1,
        ),
        (
            lambda: pattern([0, 1], 2.0, direction(2, rate_bps=np.array([-1.0, 1.0]))),
            "pattern: row 1: downlink_rate_bps: is -1; must be from 0 to 1e+12, or inf",
            0,
        ),
        (
            lambda: pattern([0, 1], 2.0, direction(2, delay_s=np.array([0, np.inf]))),
            "pattern: row 2: downlink_delay_s: is inf; must be from 0 to 3600",
            1,
        ),
        (lambda: pattern([0], 1.0, outage="lose"), "pattern: outage: is 'lose'; must be hold or drop", None),
        (lambda: pattern([0], 1.0, end="begin"), "pattern: end: is 'begin'; must be loop, hold or stop", None),
    ],
)
def test_a_pattern_that_makes_no_sense_is_refused_with_its_row(make, message, row):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value).startswith(message)
    assert caught.value.row == row


@pytest.mark.parametrize("name", ["loss", *EFFECTS])
def test_shares_go_from_0_to_1_and_times_from_0(name):
    ends = np.array([0.0, 1.0])
    assert getattr(pattern([0, 1], 2.0, direction(2, **{name: ends})).downlink, name).tolist() == [0.0, 1.0]
    with pytest.raises(InputError, match=f"pattern: row 2: downlink_{name}: is -0.1"):
        pattern([0, 1], 2.0, direction(2, **{name: np.array([0.0, -0.1])}))


def test_the_defaults_hold_packets_and_loop():
    found = pattern([0], 1.0)
    assert (found.outage, found.end, found.meta, found.packets) == ("hold", "loop", {}, ())
    assert [getattr(found.uplink, name).tolist() for name in EFFECTS] == [[0.0]] * len(EFFECTS)


def level(times_s, duration_s, rate_bps=1.0, delay_s=0.0):
    n = len(times_s)
    both = direction(n, rate_bps=np.full(n, rate_bps), delay_s=np.full(n, delay_s))
    return pattern(times_s, duration_s, both, both)


@pytest.mark.parametrize(
    ("times_s", "duration_s", "message"),
    [
        ([0, 9e-7], 1.0, "pattern: row 1: lasts 9e-07 s; a step must last at least 1e-06 s"),
        ([0, 1.0], 1.0 + 5e-7, "pattern: row 2: lasts 5e-07 s; a step must last at least 1e-06 s"),
        ([0], 1e-9, "pattern: row 1: lasts 1e-09 s; a step must last at least 1e-06 s"),
        ([0], 2_592_000.5, "pattern: duration_s: is 2592000.5; must be at most 2592000"),
    ],
)
def test_times_beyond_what_a_link_can_replay_are_refused(times_s, duration_s, message):
    with pytest.raises(InputError) as caught:
        level(times_s, duration_s)
    assert str(caught.value) == message


def test_the_bounds_themselves_can_be_had():
    level([0, 1e-6], 2_592_000.0, rate_bps=1e12, delay_s=3600.0)
    level([0], 1e-6, rate_bps=np.inf)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rate_bps": 1.1e12}, "pattern: row 1: downlink_rate_bps: is 1.1e+12; must be from 0 to 1e+12, or inf"),
        ({"rate_bps": -np.inf}, "pattern: row 1: downlink_rate_bps: is -inf; must be from 0 to 1e+12, or inf"),
        ({"delay_s": 3601.0}, "pattern: row 1: downlink_delay_s: is 3601; must be from 0 to 3600"),
    ],
)
def test_values_beyond_their_bounds_are_refused(values, message):
    with pytest.raises(InputError) as caught:
        level([0], 1.0, **values)
    assert str(caught.value) == message
