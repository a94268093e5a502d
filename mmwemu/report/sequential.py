"""A decision by as few runs as it takes: pure functions.

A bound is tested again and again while runs come in, at set numbers of them only (`LOOKS`). Look k, from 1, may err
with a probability of ``error`` / (k (k + 1)), which add up to at most ``error``; this spends the error as in
Lan and DeMets 1983, in steps of our choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mmwemu.report.statistics import Floats

Outcome = Literal["pass", "fail", "undecided"]

LOOKS = (5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640, 896)
"""Numbers of values at which a decision may fall; each is some 1.4 times the one before."""


@dataclass(frozen=True)
class Rule:
    """What is demanded of an average or quantile.

    Attributes
    ----------
    low, high
        Between which bounds it has to lie; not finite for no bound.
    quantile
        None: the mean; else that quantile, 0 to 1.
    error
        The probability of a wrong decision at most, if the true value lies just on the wrong side of a bound.
    """

    low: float = -math.inf
    high: float = math.inf
    quantile: float | None = None
    error: float = 0.05


@dataclass(frozen=True)
class Decision:
    """The outcome; ``low`` and ``high`` bound the true value with the certainty of the look of ``n`` values."""

    outcome: Outcome
    value: float
    low: float
    high: float
    n: int


def decide(values: Sequence[float], rule: Rule) -> Decision:
    """Return what the values [n] so far decide, in their order: by those of the latest look.

    The limits of a mean are Student's; those of a quantile are order statistics, which hold for every distribution.
    Values that are all equal have limits without width.
    """
    n = max((look for look in LOOKS if look <= len(values)), default=0)
    sample = np.asarray(values[:n], dtype=float)
    if n == 0:
        everything = np.asarray(values, dtype=float)
        return Decision("undecided", _value(everything, rule), -math.inf, math.inf, len(values))
    k = LOOKS.index(n) + 1
    error = rule.error / (k * (k + 1))
    low, high = _mean_limits(sample, error) if rule.quantile is None else _quantile_limits(sample, rule.quantile, error)
    outcome: Outcome = "undecided"
    if rule.low <= low and high <= rule.high:
        outcome = "pass"
    elif high < rule.low or rule.high < low:
        outcome = "fail"
    return Decision(outcome, _value(sample, rule), low, high, n)


def next_look(n: int) -> int | None:
    """Return the number of values at which the next decision may fall, None after the last look."""
    return next((look for look in LOOKS if look > n), None)


def _value(sample: Floats, rule: Rule) -> float:
    if not len(sample):
        return math.nan
    return float(sample.mean() if rule.quantile is None else np.quantile(sample, rule.quantile))


def _mean_limits(sample: Floats, error: float) -> tuple[float, float]:
    from scipy import stats

    half = float(stats.t.isf(error, len(sample) - 1) * sample.std(ddof=1) / math.sqrt(len(sample)))
    return float(sample.mean()) - half, float(sample.mean()) + half


def _quantile_limits(sample: Floats, quantile: float, error: float) -> tuple[float, float]:
    from scipy import stats

    if np.ptp(sample) == 0:
        return float(sample[0]), float(sample[0])
    ordered, n = np.sort(sample), len(sample)
    below = int(stats.binom.ppf(error, n, quantile))  # at least as many lie below the quantile, but for the error
    above = int(stats.binom.isf(error, n, quantile))
    low = float(ordered[below - 1]) if below > 0 else -math.inf
    high = float(ordered[above]) if above < n else math.inf
    return low, high
