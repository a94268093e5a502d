from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern.algebra import ensemble
from mmwemu.pattern.convert import Conversion, convert
from mmwemu.pattern.model import Direction, Pattern

META = {"scenario": "s", "conversion": {"method": "window"}}


def pattern(times, rates, seed, delay_s=0.0, loss=0.0, **changes):
    n = len(times)
    down = Direction(np.array(rates, dtype=float), np.full(n, delay_s), np.full(n, loss))
    up = Direction(np.array(rates, dtype=float) / 2, np.zeros(n), np.zeros(n))
    return Pattern(np.array(times), 4.0, down, up, meta=META | {"seed": seed} | changes)


A = pattern([0, 1], [10, 20], 1, delay_s=0.001, loss=0.1)
B = pattern([0, 2], [30, 0], 2, delay_s=0.003, loss=0.3)
C = pattern([0, 3], [12, 40], 3, delay_s=0.002, loss=0.2)


def test_the_median_of_three_at_each_time():
    found = ensemble([A, B, C], "median")
    assert (found.time_s.tolist(), found.duration_s) == ([0, 1, 2, 3], 4)
    assert found.downlink.rate_bps.tolist() == [12, 20, 12, 20]
    assert found.uplink.rate_bps.tolist() == [6, 10, 6, 10]
    assert (set(found.downlink.delay_s), set(found.downlink.loss)) == ({0.002}, {0.2})
    assert found.meta == {"scenario": "s", "seeds": [1, 2, 3], "conversion": {"method": "window", "ensemble": "median"}}


def test_the_worst_is_the_lowest_rate_with_the_highest_delay_and_loss():
    found = ensemble([A, B, C], "worst")
    assert (found.time_s.tolist(), found.downlink.rate_bps.tolist()) == ([0, 1, 2], [10, 12, 0])
    assert (set(found.downlink.delay_s), set(found.downlink.loss)) == ({0.003}, {0.3})


def test_of_an_even_number_the_worse_of_the_two_in_the_middle():
    found = ensemble([A, B], "median")
    assert (found.time_s.tolist(), found.downlink.rate_bps.tolist()) == ([0, 1, 2], [10, 20, 0])
    assert set(found.downlink.delay_s) == {0.003}


@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=2, max_size=6))
def test_it_is_between_its_members(rows):
    members = [pattern([0, 1, 2, 3], row, seed) for seed, row in enumerate(rows)]
    table = np.array(rows)

    def at_each_second(one):
        return one.downlink.rate_bps[np.searchsorted(one.time_s, [0.5, 1.5, 2.5, 3.5]) - 1]

    worst, median = (at_each_second(ensemble(members, rule)) for rule in ("worst", "median"))
    assert worst.tolist() == table.min(axis=0).tolist()
    assert median.tolist() == np.sort(table, axis=0)[(len(rows) - 1) // 2].tolist()


@pytest.mark.parametrize(
    ("others", "problem"),
    [
        ([], "ensemble: has 1 traces; at least two are needed, of different seeds"),
        ([replace(B, meta=A.meta)], "ensemble: has seeds 1, 1; each must differ"),
        (
            [pattern([0], [1], 2, scenario="t")],
            "trace 2: has another scenario than the first; an ensemble has one cell",
        ),
        ([B, pattern([0], [1], 3, conversion={})], "trace 3: has another conversion than the first"),
        ([replace(B, duration_s=5.0)], "trace 2: lasts 5 s, the first 4 s; an ensemble has one length"),
        ([replace(B, outage="drop")], "trace 2: treats outages or its end otherwise than the first"),
    ],
)
def test_members_that_are_not_alike_are_refused(others, problem):
    with pytest.raises(InputError) as caught:
        ensemble([A, *others], "median")
    assert problem in str(caught.value)


def test_traces_of_two_seeds_become_one_pattern(make_trace):
    patterns = [convert(make_trace([1] * 5 + [0] * n + [1] * (15 - n), seed=n), Conversion()) for n in (3, 6)]
    found = ensemble(patterns, "worst")
    assert found.time_s.tolist() == [0, 0.005, 0.011]
    assert found.meta["seeds"] == [3, 6]
