"""Steps over all time, short ones joined."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.model import Direction, Pattern
from mmwemu.testbed.backends.tc.timeline import Span, Step, Timeline, coarsen
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


def test_a_short_last_step_joins_the_one_before():
    joined = coarsen(make_pattern([1e6, 2e6, 5e6], times_s=[0, 0.01, 0.02, 0.025]))
    assert joined.time_s.tolist() == [0, 0.01]
    assert joined.downlink.rate_bps == pytest.approx([1e6, (2e6 * 10 + 5e6 * 5) / 15])
    assert joined.duration_s == 0.025
    two = coarsen(make_pattern([1e6, 4e6], times_s=[0, 0.01, 0.015]))
    assert (two.time_s.tolist(), two.downlink.rate_bps.tolist()) == ([0], [pytest.approx(2e6)])


def test_the_least_step_can_be_chosen():
    fine = make_pattern([1e6, 3e6, 5e6, 7e6], step_s=0.001)
    assert coarsen(fine, 0.001) is fine
    assert coarsen(fine, 0.002).time_s.tolist() == [0, 0.002]


@pytest.mark.parametrize("end", ["loop", "hold", "stop"])
def test_a_step_holds_from_its_time_on(end):
    steps = Timeline(make_pattern([1e6, 2e6, 3e6], step_s=0.5, end=end))
    assert [steps.span(time_s).number for time_s in (-0.1, 0.0, 0.499, 0.5, 1.0, 1.499)] == [0, 0, 0, 1, 2, 2]
    assert (steps.span(0.6).begin_s, steps.span(0.6).end_s) == (0.5, 1.0)
    over = {"loop": Span(0, 1.5, 2.0), "hold": Span(2, 1.0, math.inf), "stop": Span(3, 1.5, math.inf)}
    assert steps.span(1.5) == over[end]
    assert steps.span(1.2) == Span(2, 1.0, math.inf if end == "hold" else 1.5)


def test_rounds_of_a_loop_are_one_after_the_other():
    steps = Timeline(make_pattern([1e6, 2e6, 3e6], step_s=0.5, end="loop"))
    assert [steps.span(1.5 * i + 0.75) for i in range(4)] == [Span(1, 1.5 * i + 0.5, 1.5 * i + 1.0) for i in range(4)]


def test_after_the_end_a_stopped_pattern_keeps_all_but_its_rate():
    steps = Timeline(make_pattern([1e6], delay_s=0.02, loss=0.1, end="stop"))
    assert steps.step(0, 0) == Step(1e6, 0.02, 0.1)
    assert steps.step(0, 1) == Step(0.0, 0.02, 0.1)


def test_a_tenth_of_a_second_is_long():
    for step_s, lasts_s in ((0.09, 0.09), (0.11, math.inf)):
        steps = Timeline(make_pattern([1e6, 2e6], step_s=step_s, end="loop"))
        assert steps.lasts_s(0, steps.span(0.0), 0.0) == pytest.approx(lasts_s)


def test_each_direction_has_its_own_steps_and_capacity():
    pattern = make_pattern([8e6, 16e6], step_s=0.05)
    slow = replace(pattern.uplink, rate_bps=np.array([8e5, 8e5]))
    steps = Timeline(replace(pattern, uplink=slow, end="hold"))
    assert [steps.step(direction, 1).rate_bps for direction in (0, 1)] == [16e6, 8e5]
    assert [steps.capacity_bytes(direction, 0.0, 0.1) for direction in (0, 1)] == pytest.approx([150_000, 10_000])
    assert [steps.lasts_s(direction, steps.span(0.0), 0.0) for direction in (0, 1)] == [0.05, math.inf]
