"""Means with their uncertainty: pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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


@dataclass(frozen=True)
class Estimates:
    """Means and confidence intervals [...]; NaN where there is no value, the interval also for one alone."""

    mean: Floats
    low: Floats
    high: Floats
    n: NDArray[np.intp]


def mean_intervals(values: Floats, confidence: float = 0.95) -> Estimates:
    """Return means over the first axis of ``values`` [n, ...] with intervals as `mean_interval`; NaN is left out."""
    from scipy import stats

    known = ~np.isnan(values)
    n = known.sum(axis=0)
    nothing = np.full(n.shape, np.nan)
    mean = np.divide(np.where(known, values, 0.0).sum(axis=0), n, out=nothing.copy(), where=n > 0)
    squares = (np.where(known, values - mean, 0.0) ** 2).sum(axis=0)
    deviation = np.sqrt(np.divide(squares, n - 1, out=nothing.copy(), where=n > 1))
    half = stats.t.ppf((1 + confidence) / 2, np.maximum(n - 1, 1)) * deviation / np.sqrt(np.maximum(n, 1))
    return Estimates(mean, mean - half, mean + half, n)
