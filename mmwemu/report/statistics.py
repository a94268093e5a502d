"""Means with their uncertainty: pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Estimate:
    """A mean and its confidence interval; ``low`` and ``high`` are NaN for fewer than two values."""

    mean: float
    low: float
    high: float
    n: int


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Give the mean of ``values`` [n] with Student's t interval.

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
class Goodput:
    """Goodput of the valid runs of one size under one pattern, bit/s, and how many runs there were.

    ``start_at_s`` is None where runs of several starts are taken together.
    """

    pattern: str
    rat: str
    size_bytes: int
    start_at_s: float | None
    goodput: Estimate
    values_bps: tuple[float, ...]
    runs: int
    timeouts: int
    failed: int
    invalid: int


def goodput_table(runs: pd.DataFrame, *, by_start: bool = True) -> list[Goodput]:
    """Group the runs of a results folder by pattern, size and, if asked, start, in the order they were first run.

    Failed runs and runs with an invalid link are counted but take no part in the mean; timeouts do take part.
    """
    groups = []
    for _, group in runs.groupby(["pattern", "rat", "size_bytes", *["start_at_s"] * by_start], sort=False):
        first = group.iloc[0]
        good = group[group["valid"] & (group["status"] != "failed")]
        values = tuple(good["goodput_bps"].astype(float))
        groups.append(
            Goodput(
                pattern=str(first["pattern"]),
                rat=str(first["rat"]),
                size_bytes=int(first["size_bytes"]),
                start_at_s=float(first["start_at_s"]) if by_start else None,
                goodput=mean_interval(values),
                values_bps=values,
                runs=len(group),
                timeouts=int((group["status"] == "timeout").sum()),
                failed=int((group["status"] == "failed").sum()),
                invalid=int((~group["valid"]).sum()),
            )
        )
    return groups
