"""How often the sequential procedure errs and finds, by simulation, and what it does with few or equal values."""

import math

import numpy as np
import pytest
from scipy import stats

from mmwemu.report.sequential import LOOKS, Rule, decide, next_look

WORSE_BY_TENTH = Rule(low=math.log(0.9))


def run_until_decided(draw, rule, most):
    """Draw values until a decision falls or there are ``most``; give the decision."""
    values = []
    while (look := next_look(len(values))) is not None and look <= most:
        values += list(draw(look - len(values)))
        found = decide(values, rule)
        if found.outcome != "undecided":
            return found
    return found


def share(outcome, ratio, noise, rule, most=80, times=1000, draw=None):
    """Give the share of simulated checks with an outcome; values are logarithms of ratios of pairs."""
    random = np.random.default_rng(1)
    draw = draw or (lambda n: math.log(ratio) + noise * random.standard_t(5, n))
    return sum(run_until_decided(draw, rule, most).outcome == outcome for _ in range(times)) / times


@pytest.mark.long
@pytest.mark.parametrize("noise", [0.02, 0.1, 0.2])
def test_of_1000_checks_without_a_change_at_most_1_percent_fail(noise):
    """Long: it draws thousands of times."""
    assert share("fail", 1.0, noise, WORSE_BY_TENTH) <= 0.01


@pytest.mark.long
@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_a_change_of_twice_the_threshold_is_found_in_95_percent(noise):
    """Long: it draws thousands of times."""
    assert share("fail", 0.8, noise, WORSE_BY_TENTH) >= 0.95


@pytest.mark.long
def test_just_beyond_the_bound_at_most_the_error_passes():
    """Long: it draws thousands of times."""
    assert share("pass", 0.899, 0.1, WORSE_BY_TENTH) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1000)


def test_quantiles_hold_for_skewed_values():
    random = np.random.default_rng(2)
    rule = Rule(high=stats.lognorm(1.0).ppf(0.5) * 0.999, quantile=0.5)
    passed = share("pass", 1.0, 0.0, rule, times=500, draw=lambda n: random.lognormal(0.0, 1.0, n))
    assert passed <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)
    far = Rule(high=2.0, quantile=0.5)
    assert share("pass", 1.0, 0.0, far, times=200, draw=lambda n: random.lognormal(0.0, 0.5, n)) >= 0.95


def test_before_the_first_look_nothing_is_decided_and_between_looks_nothing_changes():
    early = decide([1.0] * 4, Rule(high=2.0))
    assert (early.outcome, early.value, early.n) == ("undecided", 1.0, 4)
    assert decide([], Rule(high=2.0)).outcome == "undecided"
    values = list(np.random.default_rng(3).normal(size=9))
    assert decide(values, Rule(high=9.0)) == decide(values[:7], Rule(high=9.0))


@pytest.mark.parametrize(("quantile", "n"), [(None, 7), (0.5, 7), (0.9, 80), (0.95, 160)])
def test_equal_values_are_decided_once_they_exclude_that_others_are_too_many(quantile, n):
    """Five equal values may well come of a distribution whose 95 % quantile, or mean, is another."""
    rule = Rule(high=0.0, quantile=quantile)
    assert decide([0.0] * (n - 1), rule).outcome == "undecided"
    assert decide([0.0] * n, rule).outcome == "pass"
    assert decide([1.0] * 40, rule).outcome == "fail"


def test_rare_large_values_do_not_let_a_high_quantile_pass():
    random = np.random.default_rng(4)
    rule = Rule(high=5.0, quantile=0.95)
    draw = lambda n: 10.0 * (random.random(n) < 0.06)  # noqa: E731
    assert share("pass", 1.0, 0.0, rule, most=320, times=500, draw=draw) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)


@pytest.mark.long
@pytest.mark.parametrize("noise", [0.02, 0.2])
def test_exactly_at_the_bound_at_most_1_percent_fail(noise):
    """Long: it draws thousands of times."""
    assert share("fail", 1.0, noise, Rule(low=0.0)) <= 0.01 + 3 * math.sqrt(0.01 * 0.99 / 1000)


def test_a_run_without_value_keeps_a_mean_from_passing_and_most_of_them_fail():
    rule = Rule(high=2.0)
    values = list(np.random.default_rng(5).normal(1.0, 0.01, 40))
    assert decide(values, rule).outcome == "pass"
    assert decide([*values[:-1], math.inf], rule).outcome == "undecided"
    assert decide([math.inf] * 40, rule).outcome == "fail"
    assert decide([*values[:38], math.inf, math.inf], Rule(high=2.0, quantile=0.5)).outcome == "pass"


def test_quantiles_of_two_samples_are_compared_without_pairs():
    random = np.random.default_rng(6)
    base = list(random.lognormal(0.0, 0.1, 160))
    rule = Rule(high=math.log(1.2), quantile=0.5)
    for factor, outcome in ((1.0, "pass"), (1.5, "fail")):
        head = list(factor * random.lognormal(0.0, 0.1, 160))
        found = decide(np.log(head), rule, np.log(base))
        assert found.outcome == outcome
        assert found.low < found.value < found.high


def test_pairs_take_what_both_have_in_common_out_of_the_interval():
    random = np.random.default_rng(7)
    phase = random.normal(0.0, 1.0, 20)
    head, base = phase + random.normal(0.0, 0.01, 20), phase + random.normal(0.0, 0.01, 20)
    found = decide(head, Rule(low=math.log(0.9)), base)
    assert found.outcome == "pass"
    assert found.high - found.low < 0.05


def test_an_allowance_widens_both_sides():
    values = [1.0, 1.01, 0.99, 1.0, 1.02]
    plain, wide = decide(values, Rule(high=1.2)), decide(values, Rule(high=1.2, allowance=0.5))
    assert (plain.outcome, wide.outcome) == ("pass", "undecided")
    assert wide.low == pytest.approx(plain.low - 0.5)
    assert wide.high == pytest.approx(plain.high + 0.5)


def test_looks_rise_and_end():
    assert [next_look(n) for n in (0, 5, 6, 895, 896)] == [5, 7, 7, 896, None]
    assert list(LOOKS) == sorted(set(LOOKS))
