"""Levels of the scenarios of Hurtig 2019, cut short: medians over five seeds against what is known of them."""

from functools import cache

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import MissingError
from mmwemu.scenario import read
from mmwemu.scenario.changes import Changes
from mmwemu.scenario.geometry import los_changes_s
from mmwemu.simulate.ns3 import Ns3Engine

try:
    paths.program("mmwemu-cell")
except MissingError as error:
    pytestmark = pytest.mark.skip(reason=str(error))
else:
    pytestmark = pytest.mark.cell

SEEDS = range(1, 6)


@cache
def levels(name, duration_s, **changes):
    """Return SINR in sight and without, dB, and the rate without, bit/s: medians over the seeds."""
    scenario = Changes(duration_s=duration_s, **changes).apply(read.load(name), "mmwave")
    expected_s = los_changes_s(scenario)
    found = []
    for seed in SEEDS:
        trace = Ns3Engine().simulate(scenario, "mmwave", seed)
        changes_s = trace.time_s[1:][np.diff(trace.los) != 0]
        assert len(changes_s) == len(expected_s) > 0
        assert np.abs(changes_s - expected_s).max() <= 0.020
        sending = trace.time_s > 0.5
        free, hidden = sending & (trace.los == 1), sending & (trace.los == 0)
        found.append((np.median(trace.sinr_db[free]), np.median(trace.sinr_db[hidden]),
                      trace.throughput_bps[hidden].mean()))  # fmt: skip
    return np.median(found, axis=0)


@pytest.mark.parametrize(
    ("name", "duration_s", "known"),
    [("s1", 14.0, (38.7, -1.2, 261e6)), ("s2", 24.0, (36.0, -5.1, 110e6)), ("s3", 24.0, (39.0, -0.9, 261e6))],
)
def test_levels_are_the_known_ones(name, duration_s, known):
    found = levels(name, duration_s)
    assert found[:2] == pytest.approx(known[:2], abs=1.5)
    # In s2 a sixth of the time without line of sight is below what one attempt at MCS 0 needs. What HARQ carries there,
    # by adding attempts up, is on top of the known rate.
    rate_bps = levels(name, duration_s, harq=False)[2] if name == "s2" else found[2]
    assert rate_bps == pytest.approx(known[2], rel=0.15)


def test_harq_carries_data_where_no_single_attempt_would():
    assert 1.05 < levels("s2", 24.0)[2] / levels("s2", 24.0, harq=False)[2] < 1.15
