import math

import pytest

from mmwemu.report.statistics import goodput_table, mean_interval
from mmwemu.results.store import to_frame
from tests.unit.results.test_store import run


def test_interval_against_a_textbook_case():
    # Ten values of mean 5, s = 2: t(9, 0.975) = 2.262157, half width 2.262157 * 2 / sqrt(10).
    values = [5 - 2 * math.sqrt(0.9), 5 + 2 * math.sqrt(0.9)] * 5
    estimate = mean_interval(values)
    assert estimate.mean == pytest.approx(5)
    assert estimate.high - estimate.mean == pytest.approx(2.262157 * 2 / math.sqrt(10), rel=1e-5)


def test_one_value_has_no_interval_and_none_no_mean():
    assert mean_interval([3.0]).mean == 3.0
    assert math.isnan(mean_interval([3.0]).low)
    assert math.isnan(mean_interval([]).mean)


def test_failed_and_invalid_runs_are_counted_but_left_out():
    runs = [
        run(1, goodput_bps=10e6),
        run(2, goodput_bps=20e6, status="timeout"),
        run(3, goodput_bps=None, status="failed"),
        run(4, goodput_bps=99e6, valid=False),
        run(5, goodput_bps=7e6, size_bytes=5),
    ]
    big, small = goodput_table(to_frame(runs))
    assert (big.goodput.mean, big.runs, big.timeouts, big.failed, big.invalid) == (15e6, 4, 1, 1, 1)
    assert (small.size_bytes, small.goodput.mean) == (5, 7e6)
