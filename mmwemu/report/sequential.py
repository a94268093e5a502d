"""A decision by as few runs as it takes: pure functions.

A bound is tested again and again while runs come in, at set numbers of them only (`LOOKS`). Look k, from 1, may err
with a probability of ``error`` / (k (k + 1)), which add up to at most ``error``; this spends the error as in
Lan and DeMets 1983, in steps of our choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from mmwemu.report.statistics import Floats

Outcome = Literal["pass", "fail", "undecided"]

LOOKS = (5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640, 896)
"""Numbers of values at which a decision may fall; each is some 1.4 times the one before."""

_ROUNDING = 1e-12  # a spread of this share of the values is that of floating point


@dataclass(frozen=True)
class Rule:
    """What is demanded of an average or quantile, or of how far it is from that of a baseline.

    Attributes
    ----------
    low, high
        The bounds between which it has to lie; not finite for no bound.
    quantile
        None: the mean; else that quantile, 0 to 1.
    pass_error, fail_error
        The probability of a wrong pass at most, if the true value breaks a bound, and of a wrong fail, if it does not.
    allowance
        By how much the limits are widened on each side, for an error that no number of values shows.
    """

    low: float = -math.inf
    high: float = math.inf
    quantile: float | None = None
    pass_error: float = 0.05
    fail_error: float = 0.01
    allowance: float = 0.0


@dataclass(frozen=True)
class Decision:
    """The outcome at the look of ``n`` values.

    The true value is above ``low`` and below ``high``: on the side of a bound but for the error of a wrong pass, on the
    other but for that of a wrong fail.
    """

    outcome: Outcome
    value: float
    low: float
    high: float
    n: int


def decide(values: Sequence[float], rule: Rule, base: Sequence[float] | None = None) -> Decision:
    """Return what the values so far decide, in their order: by those of the latest look.

    Limits of a mean are Student's. Those of a quantile are order statistics, which hold for every distribution. So do
    those for a mean of values that are all equal, whose spread says nothing, or of which some are infinite: they are
    the limits of the median, and infinite on the side of infinite values.

    Parameters
    ----------
    values
        Values [n]. An infinite one stands for a run without value, on the side that is worst.
    rule
        What is demanded of them.
    base
        Values of the baseline [n], each of the same pair as that of ``values``; None without baseline. The rule is
        about the mean of the differences, or about the difference of the quantiles, which does without the pairs.
    """
    n = max((look for look in LOOKS if look <= len(values)), default=0)
    sample = np.asarray(values[: n or None], dtype=float)
    other = None if base is None else np.asarray(base[: n or None], dtype=float)
    value = _value(sample, other, rule.quantile)
    if n == 0:
        return Decision("undecided", value, -math.inf, math.inf, len(values))
    k = LOOKS.index(n) + 1
    passing, failing = (_limits(sample, other, rule.quantile, error / (k * (k + 1)))
                        for error in (rule.pass_error, rule.fail_error))  # fmt: skip
    low = (passing if math.isfinite(rule.low) else failing)[0] - rule.allowance
    high = (passing if math.isfinite(rule.high) else failing)[1] + rule.allowance
    outcome: Outcome = "undecided"
    if rule.low <= low and high <= rule.high:
        outcome = "pass"
    elif failing[1] + rule.allowance < rule.low or rule.high < failing[0] - rule.allowance:
        outcome = "fail"
    return Decision(outcome, value, low, high, n)


def next_look(n: int) -> int | None:
    """Return the number of values at which the next decision may fall, None after the last look."""
    return next((look for look in LOOKS if look > n), None)


def _value(sample: Floats, base: Floats | None, quantile: float | None) -> float:
    if not len(sample):
        return math.nan
    if quantile is None:
        pairs = sample if base is None else sample - base
        return float(pairs.mean() if np.isfinite(pairs).all() else np.median(pairs))
    return _difference(*(_quantile(each, quantile) for each in (sample, base) if each is not None))


def _quantile(sample: Floats, quantile: float) -> float:
    if np.isfinite(sample).all():
        return float(np.quantile(sample, quantile))
    return float(np.sort(sample)[round(quantile * (len(sample) - 1))])


def _difference(value: float, base: float = 0.0) -> float:
    return value if value == base and math.isinf(value) else value - base


def _limits(sample: Floats, base: Floats | None, quantile: float | None, error: float) -> tuple[float, float]:
    """Return the limits, each of which errs with a probability of at most ``error``; infinite where there is none."""
    if quantile is None:
        return _mean_limits(sample if base is None else sample - base, error)
    if base is None:
        return _quantile_limits(sample, quantile, error)
    low, high = _quantile_limits(sample, quantile, error / 2)
    base_low, base_high = _quantile_limits(base, quantile, error / 2)
    return (
        -math.inf if math.isinf(low) or math.isinf(base_high) else low - base_high,
        math.inf if math.isinf(high) or math.isinf(base_low) else high - base_low,
    )


def _mean_limits(sample: Floats, error: float) -> tuple[float, float]:
    finite = np.isfinite(sample)
    if not finite.all() or np.ptp(sample) <= _ROUNDING * np.abs(sample).max():
        low, high = _quantile_limits(sample, 0.5, error)
        return (-math.inf if -math.inf in sample else low), (math.inf if math.inf in sample else high)
    half = float(_students(error, len(sample) - 1) * sample.std(ddof=1) / math.sqrt(len(sample)))
    return float(sample.mean()) - half, float(sample.mean()) + half


def _quantile_limits(sample: Floats, quantile: float, error: float) -> tuple[float, float]:
    ordered, n = np.sort(sample), len(sample)
    below, above = _ranks(n, quantile, error)
    low = float(ordered[below - 1]) if below > 0 else -math.inf
    high = float(ordered[above]) if above < n else math.inf
    return low, high


@cache
def _students(error: float, freedom: int) -> float:
    from scipy import stats

    return float(stats.t.isf(error, freedom))


@cache
def _ranks(n: int, quantile: float, error: float) -> tuple[int, int]:
    """Return how many of n values lie below the quantile at least, and at most, but for the error."""
    from scipy import stats

    return int(stats.binom.ppf(error, n, quantile)), int(stats.binom.isf(error, n, quantile))
