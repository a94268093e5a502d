import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.pattern.model import Direction, Pattern


def pattern(times_s, duration_s, rate_bps=1.0, delay_s=0.0):
    n = len(times_s)
    both = Direction(np.full(n, rate_bps), np.full(n, delay_s), np.zeros(n))
    return Pattern(np.array(times_s, dtype=float), duration_s, both, both)


@pytest.mark.parametrize(
    ("times_s", "duration_s", "message"),
    [
        ([0, 9e-7], 1.0, "pattern: row 1: lasts 9e-07 s; a step must last at least 1e-06 s"),
        ([0, 1.0], 1.0 + 5e-7, "pattern: row 2: lasts 5e-07 s; a step must last at least 1e-06 s"),
        ([0], 1e-9, "pattern: row 1: lasts 1e-09 s; a step must last at least 1e-06 s"),
        ([0], 2_592_000.5, "pattern: duration_s: is 2.592e+06; must be at most 2.592e+06"),
    ],
)
def test_times_beyond_what_a_link_can_replay_are_refused(times_s, duration_s, message):
    with pytest.raises(InputError) as caught:
        pattern(times_s, duration_s)
    assert str(caught.value) == message


def test_the_bounds_themselves_can_be_had():
    pattern([0, 1e-6], 2_592_000.0, rate_bps=1e12, delay_s=3600.0)
    pattern([0], 1e-6, rate_bps=np.inf)


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
        pattern([0], 1.0, **values)
    assert str(caught.value) == message
