import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.model import Direction, Pattern
from tests.patterns import make_pattern


def test_capacity_is_the_integral_whatever_follows_the_end():
    times_s = np.array([0.25, 0.75, 1.25, 3.0])
    cases = {"loop": [0.75, 0.75, 2.75], "hold": [0.75, 1.0, 3.5], "stop": [0.75, 0.5, 0.0]}
    for end, expected in cases.items():
        pattern = make_pattern([8e6, 16e6], end=end)
        bytes_ = capacity_bytes(pattern, pattern.downlink, times_s)
        assert bytes_ == pytest.approx(np.array(expected) * 1e6)


def test_an_unlimited_step_makes_the_capacity_of_what_it_touches_unlimited():
    pattern = make_pattern([8e6, np.inf, 0], end="hold")
    bytes_ = capacity_bytes(pattern, pattern.downlink, np.array([0, 0.5, 0.75, 1.25, 9.0]))
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
    parts = capacity_bytes(pattern, direction, np.array([first, middle, last]))
    whole = capacity_bytes(pattern, direction, np.array([first, last]))
    assert parts.sum() == pytest.approx(whole[0], rel=1e-9, abs=1e-3 * (1 + max(rates) * 1e-6))


def test_an_unlimited_step_adds_nothing_to_those_around_it():
    pattern = make_pattern([8e6, np.inf, 16e6], step_s=1.0, end="loop")
    bytes_ = capacity_bytes(pattern, pattern.downlink, np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    assert bytes_.tolist() == [1_000_000, np.inf, 2_000_000, 1_000_000]
