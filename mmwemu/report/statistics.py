"""Means with their uncertainty: pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Estimate:
    """A mean and its confidence interval; ``low`` and ``high`` are NaN for fewer than two values."""

    mean: float
    low: float
    high: float
    n: int


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Return the mean of ``values`` [n] with Student's t interval.

    mean +- t(n - 1, (1 + confidence) / 2) * s / sqrt(n), s the sample standard deviation.
    """
    from scipy import stats

    sample = np.asarray(values, dtype=float)
    n = len(sample)
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    mean = float(sample.mean())
    if n == 1:
        return Estimate(mean, math.nan, math.nan, 1)
    half = float(stats.t.ppf((1 + confidence) / 2, n - 1) * sample.std(ddof=1) / math.sqrt(n))
    return Estimate(mean, mean - half, mean + half, n)
