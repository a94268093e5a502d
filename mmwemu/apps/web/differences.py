"""Differences between the loads of two patterns: pure functions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mmwemu.report.statistics import Estimate, students_mean

if TYPE_CHECKING:
    import pandas as pd

# Runs with equal values in these columns had the same start in the pattern and the same seed.
_PAIR = ["start_at_s", "repetition", "client"]


@dataclass(frozen=True)
class Difference:
    """Difference of a metric between a pattern and a reference, s: mean of pairs and Student's t interval."""

    site: str
    pattern: str
    reference: str
    difference: Estimate

    @property
    def is_found(self) -> bool:
        """Whether the interval excludes zero, so that the patterns differ, and not by chance."""
        return not self.difference.low <= 0 <= self.difference.high

    @property
    def bound_s(self) -> float:
        """The largest difference, in either direction, that the interval allows."""
        return max(abs(self.difference.low), abs(self.difference.high))


def differences(runs: pd.DataFrame, metric: str = "speed_index_s", confidence: float = 0.95) -> list[Difference]:
    """Return the differences between every pattern and the first one of the results, site by site.

    Loads are paired by start, repetition and client. A pair counts if both links were valid and both loads have the
    metric.

    Parameters
    ----------
    runs
        Runs of page loads.
    metric
        A column of times.
    confidence
        Confidence of the intervals. For two equal patterns, this share of them includes zero.

    Returns
    -------
    One difference for each site and each pattern after the first with at least two pairs.
    """
    import pandas as pd

    good = runs["valid"] & (runs["status"] != "failed")
    # The first pattern stays the reference even if none of its loads is good.
    times_s = pd.to_numeric(runs[metric]).where(good)
    found = []
    for site, group in runs.assign(value=times_s).groupby("site", sort=False):
        by_pattern = {str(name): rows.set_index(_PAIR)["value"] for name, rows in group.groupby("pattern", sort=False)}
        (reference, base), *others = by_pattern.items()
        for pattern, values in others:
            pairs = (values - base).dropna()
            estimate = students_mean([float(value) for value in pairs], confidence)
            if not math.isnan(estimate.low):
                found.append(Difference(str(site), pattern, reference, estimate))
    return found
