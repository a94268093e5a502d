"""The simulation's own traffic over patterns of its trace: what comes is what came in the simulation."""

from dataclasses import replace

import numpy as np
import pytest

from mmwemu.pattern.convert import Conversion, convert
from mmwemu.scenario.model import Box, MmwaveRadio, Scenario, Traffic, Waypoint
from mmwemu.simulate.fake import FakeEngine
from mmwemu.study import fidelity
from mmwemu.study.fidelity import replay_source, source_of

# Line of sight, 78 Mbit/s, but from 1.5 to 2.5 s, 5 Mbit/s; the source sends 20 Mbit/s, so that a queue builds up.
SCENARIO = Scenario(
    "passage",
    4.0,
    (0.0, 0.0, 3.0),
    (Waypoint(0.0, (75.0, -15.0, 1.0)), Waypoint(4.0, (75.0, 25.0, 1.0))),
    (Box((50.0, 56.0), (0.0, 6.5), (0.0, 15.0)),),
    mmwave=MmwaveRadio(bandwidth_hz=20e6, rlc_buffer_bytes=1_000_000),
    traffic=Traffic(20e6, 1200),
)


@pytest.fixture(scope="module")
def trace():
    """Give the trace of a queue that is a fluid, with the delay of the bytes that leave it."""
    made = FakeEngine().simulate(SCENARIO, "mmwave", 1)
    left_bytes = np.cumsum(made.throughput_bps * (1228 / 1200) * made.bin_s / 8)
    came_bytes = left_bytes + made.rlc_queue_bytes
    came_s = np.interp(left_bytes, came_bytes, made.time_s)
    delay_s = np.where(made.throughput_bps > 0, SCENARIO.core.delay_s + made.time_s - came_s, np.nan)
    return replace(made, delay_s=np.maximum(delay_s, SCENARIO.core.delay_s))


def replayed(trace, method, source):
    """Return the comparison of a valid replay."""
    found = replay_source("trace", trace, [(method, convert(trace, Conversion(method)))], source, tries=5)
    assert not found.reasons
    return found.comparison


@pytest.mark.link
def test_windows_bring_back_rates_queues_and_delays_and_two_levels_most_of_the_rates(trace):
    source = source_of(trace, SCENARIO)
    both = [replayed(trace, method, source) for method in ("window", "segments")]
    reference, (window, segments) = both[0].reference, [one.others[0] for one in both]
    assert window.rate_correlation[0.1] > 0.99
    assert window.rate_correlation[0.01] > 0.95
    assert window.delay_correlation[0.1] > 0.98
    assert window.delay_quantiles_s[0.99] == pytest.approx(reference.delay_quantiles_s[0.99], rel=0.1)
    assert window.mean_rate_bps == pytest.approx(reference.mean_rate_bps, rel=0.02)
    assert len(window.nlos_phases) == len(reference.nlos_phases) == 1
    assert segments.rate_rmse_bps[0.1] > 2 * window.rate_rmse_bps[0.1]


@pytest.mark.link
def test_tcp_reaches_the_rate_of_the_source_and_no_more(trace):
    found = replayed(trace, "window", source_of(trace, SCENARIO, "tcp"))
    assert 0.5 < found.others[0].mean_rate_bps / found.reference.mean_rate_bps < 1.02


@pytest.mark.link
def test_a_replay_that_is_not_valid_is_repeated_and_the_last_one_counts(trace, monkeypatch):
    late = iter([["late"], [], ["late"], ["late"]])
    monkeypatch.setattr(fidelity, "_source_late", lambda records, sent_s, source: next(late))
    pattern = ("window", convert(trace, Conversion("window")))
    found = replay_source("trace", trace, [pattern, pattern], source_of(trace, SCENARIO), tries=2)
    assert [(one.tries, one.reasons) for one in found.replays] == [(2, ()), (2, ("late",))]
