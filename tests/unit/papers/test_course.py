"""What happened over time, as single numbers."""

from dataclasses import replace

import numpy as np
import pytest

from mmwemu.papers.course import full_rate_s, repair_s
from mmwemu.trace.model import Trace


def trace_of(rate_bps, los=None, **optional):
    n = len(rate_bps)
    unknown = np.full(n, np.nan)
    los = unknown if los is None else np.array(los, dtype=float)
    rate_bps = np.array(rate_bps, dtype=float)
    return Trace(np.arange(n) * 0.01, los, unknown, unknown, unknown, rate_bps, unknown, unknown, np.zeros(n),
                 optional=optional)  # fmt: skip


def test_the_full_rate_is_reached_after_the_first_bytes_that_count():
    # Pings of 100 bytes, a first window of 14 kB, a rise of 0.4 s, and the full rate.
    rise = [8e4] * 20 + [0] * 10 + [11.2e6] + [2e8] * 39 + [1e9] * 430
    assert full_rate_s(trace_of(rise)) == pytest.approx(0.5)
    assert full_rate_s(trace_of([1e9] * 500)) == pytest.approx(0.1)


def test_the_full_rate_is_that_of_line_of_sight():
    rates = [3e8] * 100 + [1e9] * 100 + [3e8] * 300
    assert full_rate_s(trace_of(rates)) == pytest.approx(0.1)
    assert full_rate_s(trace_of(rates, [0] * 100 + [1] * 100 + [0] * 300)) == pytest.approx(1.1, abs=0.011)
    assert np.isnan(full_rate_s(trace_of([0.0] * 500)))


def test_repairs_last_from_the_first_segment_that_is_sent_again_to_the_last():
    again = np.zeros(500)
    assert repair_s(trace_of([1e9] * 500)) == repair_s(trace_of([1e9] * 500, retransmissions=again)) == 0
    again[[100, 101, 400]] = 1, 5, 1
    assert repair_s(replace(trace_of([1e9] * 500), optional={"retransmissions": again})) == pytest.approx(3.01)
