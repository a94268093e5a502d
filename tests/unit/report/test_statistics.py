import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.report.statistics import LEAST, average, ratio, share, students_mean


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=40), st.sampled_from(["mean", "median"]))
def test_an_interval_never_leaves_the_range_of_the_values(values, of):
    found = average(values, of)
    assert found.n == len(values)
    assert found.has_interval == (len(values) >= LEAST)
    if found.has_interval:
        tiny = 1e-9 * max(values)
        assert min(values) - tiny <= found.low <= found.value + tiny
        assert found.value - tiny <= found.high <= max(values) + tiny


@pytest.mark.parametrize(("draw", "least"), [("normal", 0.90), ("exponential", 0.86)])
@pytest.mark.parametrize("n", [5, 10, 30])
def test_an_interval_holds_the_true_mean_about_as_often_as_it_says(draw, least, n):
    random = np.random.default_rng(4)
    drawn = random.normal(1, 0.2, (300, n)) if draw == "normal" else random.exponential(1, (300, n))
    holds = [found.low <= 1 <= found.high for found in map(average, drawn)]
    assert least < np.mean(holds) < 0.99


def test_few_values_and_equal_ones():
    assert average([3.0]).value == 3.0
    assert not average([1.0] * (LEAST - 1)).has_interval
    assert (average([2.0] * LEAST).low, average([2.0] * LEAST).high) == (2.0, 2.0)
    assert math.isnan(average([]).value)
    assert [average([1.0] * n).n for n in range(4)] == [0, 1, 2, 3]


def test_equal_runs_have_equal_intervals():
    assert average([1, 2, 3, 4, 9]) == average([1, 2, 3, 4, 9])


def test_a_ratio_of_pairs_is_narrower_than_one_of_two_samples():
    random = np.random.default_rng(5)
    base = random.exponential(1, 20) + 0.5
    values = base * 3 * random.normal(1, 0.05, 20)
    pairs, samples = ratio(values, base, paired=True), ratio(values, base, paired=False)
    assert pairs.value == samples.value == pytest.approx(values.mean() / base.mean())
    assert abs(pairs.value - 3) < 0.1
    assert 3 * (pairs.high - pairs.low) < samples.high - samples.low
    assert samples.low > 0


def test_a_ratio_of_equal_samples_is_found_as_one_at_about_the_rate_of_the_confidence():
    random = np.random.default_rng(6)
    found = [ratio(random.normal(5, 1, 10), random.normal(5, 1, 10), paired=False) for _ in range(300)]
    assert 0.90 < np.mean([each.low <= 1 <= each.high for each in found]) < 0.99


def test_a_ratio_to_nothing_is_none():
    assert math.isnan(ratio([1, 2], [0, 1], paired=True).value)
    assert math.isnan(ratio([], [1], paired=False).value)
    assert ratio([4], [2], paired=True).value == 2
    assert not ratio([4] * 9, [2] * 4, paired=False).has_interval


def test_students_interval_against_a_textbook_case():
    # Ten values of mean 5, s = 2: t(9, 0.975) = 2.262157, half width 2.262157 * 2 / sqrt(10).
    estimate = students_mean([5 - 2 * math.sqrt(0.9), 5 + 2 * math.sqrt(0.9)] * 5)
    assert estimate.value == pytest.approx(5)
    assert estimate.high - estimate.value == pytest.approx(2.262157 * 2 / math.sqrt(10), rel=1e-5)
    # t(1, 0.75) = 1 and t(1, 0.975) = 12.706; s / sqrt(2) = 1.
    assert students_mean([1.0, 3.0], 0.5).high == pytest.approx(3.0)
    assert (students_mean([1.0, 3.0]).low, students_mean([1.0, 3.0]).high) == pytest.approx((-10.7062, 14.7062))
    assert math.isnan(students_mean([3.0]).low)
    assert math.isnan(students_mean([]).value)


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (15, 50, 0.1910, 0.4375)],
)
def test_a_share_has_the_interval_of_wilson(count, n, low, high):
    found = share(count, n)
    assert (found.value, found.n) == (count / n, n)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    assert math.isnan(share(0, 0).value)
