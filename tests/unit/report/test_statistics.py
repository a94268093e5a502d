import math

import pytest

from mmwemu.report.statistics import mean_interval


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
