"""The fewest steps within a stated error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.pattern.conversion.method import Method, Steps, parameter
from mmwemu.pattern.conversion.series import Series
from mmwemu.pattern.conversion.window import window_parameter, window_starts
from mmwemu.pattern.model import Floats
from mmwemu.trace.model import Trace

MOST_WINDOWS = 50_000
"""Windows of a trace; the time that is needed grows with their number times the length of the steps."""


@dataclass(frozen=True)
class ChangePoints(Method):
    """The fewest steps whose mean no window of theirs is further from than a share of the trace's mean rate."""

    name: ClassVar[str] = "changepoints"
    help: ClassVar[str] = "the fewest steps within an error"

    error_share: float = parameter(
        0.1, "a window's mean differs from its step by at most this share of the mean rate", "", 0.0, 1e6
    )
    window_s: float = window_parameter(0.010)

    def steps(self, trace: Trace, series: Series) -> Steps:
        """Return the steps; each has the mean of its bins, so that bytes are kept."""
        starts = window_starts(trace, self.window_s)
        weights = np.add.reduceat(series.counted, starts)
        starts, weights = starts[weights > 0], weights[weights > 0]
        starts[0] = 0
        if len(starts) > MOST_WINDOWS:
            problem = f"makes {len(starts)} windows; changepoints takes at most {MOST_WINDOWS}: choose longer ones"
            raise InputError("window", problem)
        mean_bps = float(np.average(series.rate_bps, weights=series.counted))
        chosen = fewest(series.means(starts), weights, self.error_share * mean_bps)
        return Steps(starts[chosen], series.means(starts[chosen]))


def fewest(values: Floats, weights: Floats, error: float) -> NDArray[np.intp]:
    """Return the index of the first value of each step [n_step], so that there are as few steps as can be.

    No value differs from the weighted mean of its step by more than ``error``. Among divisions of as few steps that
    with the least weighted sum of squares is taken. Dynamic programming over the end of the last step (Bellman 1961):
    a start is dropped for good once its values spread over more than twice the error, since no mean is then near all.

    Parameters
    ----------
    values
        Values [n].
    weights
        Weight of each value in means [n], above 0.
    error
        Greatest difference that is allowed.
    """
    n = len(values)
    shifted = values - np.average(values, weights=weights)
    mass = np.append(0.0, np.cumsum(weights))
    sums = np.append(0.0, np.cumsum(weights * shifted))
    highest, lowest = np.full(n, -np.inf), np.full(n, np.inf)
    counts, squares, origin = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1, dtype=np.intp)
    first = 0
    for end, value in enumerate(shifted, 1):
        high, low = highest[first:end], lowest[first:end]
        np.maximum(high, value, out=high)
        np.minimum(low, value, out=low)
        dropped = int(np.searchsorted(low - high, -2 * error))
        # The step of this value alone always remains.
        dropped = min(dropped, end - 1 - first)
        first, high, low = first + dropped, high[dropped:], low[dropped:]
        part = sums[end] - sums[first:end]
        mean = part / (mass[end] - mass[first:end])
        fits = (high - mean <= error) & (mean - low <= error)
        fits[-1] = True
        steps = np.where(fits, counts[first:end], np.inf)
        counts[end] = steps.min() + 1
        # The sum of squares of a step is that of its values, which all divisions share, less part * mean.
        cost = np.where(steps == counts[end] - 1, squares[first:end] - part * mean, np.inf)
        best = int(np.argmin(cost))
        squares[end], origin[end] = cost[best], first + best
    chosen = []
    end = n
    while end:
        end = int(origin[end])
        chosen.append(end)
    return np.array(chosen[::-1], dtype=np.intp)
