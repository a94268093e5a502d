"""Steps over all time, short ones joined."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.link.capacity import capacity_bytes
from mmwemu.pattern.model import Direction, Pattern
from mmwemu.testbed.backends.tc.timeline import Step, Timeline, coarsen
from tests.patterns import make_pattern


def test_short_steps_are_joined_and_others_stay():
    whole = make_pattern([1e6, 3e6], step_s=0.01)
    assert coarsen(whole) is whole
    joined = coarsen(make_pattern([1e6, 3e6, 5e6, 7e6, 9e6], step_s=0.005, delay_s=0.1))
    assert joined.time_s.tolist() == [0, 0.010]
    assert joined.downlink.rate_bps == pytest.approx([2e6, 7e6])
    assert joined.uplink.delay_s == pytest.approx([0.1, 0.1])
    assert coarsen(make_pattern([1e6], step_s=0.001)).duration_s == 0.001


@given(st.lists(st.tuples(st.floats(0.0005, 0.03), st.floats(0, 1e9)), min_size=1, max_size=40))
def test_joining_keeps_the_integral_and_the_least_length(steps):
    lengths_s, rates_bps = np.array(steps).T
    edges_s = np.concatenate(([0.0], np.cumsum(lengths_s)))
    one = Direction(rates_bps, np.zeros(len(steps)), np.zeros(len(steps)))
    pattern = Pattern(edges_s[:-1], edges_s[-1], one, one, end="hold")
    joined = coarsen(pattern)
    ends_s = np.append(joined.time_s, joined.duration_s)
    assert len(joined.time_s) == 1 or np.diff(ends_s).min() > 0.0099
    assert capacity_bytes(joined, joined.downlink, ends_s) == pytest.approx(
        capacity_bytes(pattern, pattern.downlink, ends_s), abs=1e-3
    )


def test_steps_over_all_time():
    loop = Timeline(make_pattern([1e6, 2e6], step_s=0.1, end="loop"))
    assert (loop.span(0.0).number, loop.span(0.15).number, loop.span(0.25).number) == (0, 1, 0)
    assert (loop.span(1.25).begin_s, loop.span(1.25).end_s) == pytest.approx((1.2, 1.3))
    hold = Timeline(make_pattern([1e6, 2e6], step_s=0.1, end="hold"))
    assert (hold.span(0.15).end_s, hold.span(5.0).begin_s, hold.step(0, hold.span(5.0).number).rate_bps) == (
        math.inf,
        0.1,
        2e6,
    )
    stop = Timeline(make_pattern([1e6, 2e6], step_s=0.1, end="stop"))
    assert stop.span(0.15).end_s == pytest.approx(0.2)
    assert stop.step(1, stop.span(0.3).number) == Step(0.0)


def test_a_rate_lasts_until_another():
    steps = Timeline(make_pattern([1e6, 1e6, 2e6], step_s=0.04, end="loop"))
    assert steps.lasts_s(0, steps.span(0.0), 0.0) == pytest.approx(0.08)
    assert steps.lasts_s(0, steps.span(0.05), 0.05) == pytest.approx(0.03)
    assert steps.lasts_s(0, steps.span(0.21), 0.21) == pytest.approx(0.03)
    same = Timeline(make_pattern([1e6, 1e6], step_s=0.01, end="loop"))
    assert same.lasts_s(1, same.span(0.0), 0.0) == math.inf
