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


def test_an_estimate_says_of_how_many_values_it_is():
    assert [mean_interval([1.0] * n).n for n in range(4)] == [0, 1, 2, 3]


def test_more_confidence_is_a_wider_interval():
    # t(1, 0.75) = 1 and t(1, 0.975) = 12.706; s / sqrt(2) = 1.
    assert mean_interval([1.0, 3.0], 0.5).high == pytest.approx(3.0)
    assert (mean_interval([1.0, 3.0]).low, mean_interval([1.0, 3.0]).high) == pytest.approx((2 - 12.7062, 2 + 12.7062))
