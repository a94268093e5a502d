"""Key figures of a trace, and of two side by side: pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.trace.model import Floats, Trace

QUANTILES = (0.05, 0.5, 0.95)
_WINDOW_S = 0.1
_COMPARED = ("sinr_db", "phy_rate_bps", "throughput_bps", "delay_s")
_SAME_CHANGE_S = 0.5


@dataclass(frozen=True)
class Level:
    """Values of one column while the cell is in one state.

    Attributes
    ----------
    state
        ``all``, ``los`` or ``nlos``; in `stretches` also ``los-1`` and the like.
    column
        Name of the column.
    bins
        Number of bins with a value.
    mean, p05, p50, p95, sum, min, max
        Mean, quantiles, sum and extremes of the values, in the column's unit.
    """

    state: str
    column: str
    bins: int
    mean: float
    p05: float
    p50: float
    p95: float
    sum: float
    min: float
    max: float


@dataclass(frozen=True)
class Summary:
    """Key figures of a trace.

    Attributes
    ----------
    duration_s, bin_s
        Length of the trace and of a bin, s.
    share
        Share of time in each state, 0 to 1: ``los``, ``nlos``; empty if the trace does not know line of sight.
    los_changes_s
        Times at which LOS and NLOS change, s.
    levels
        One for each state and column with a value.
    meta
        Provenance.
    """

    duration_s: float
    bin_s: float
    share: dict[str, float]
    los_changes_s: list[float]
    levels: list[Level]
    meta: dict[str, Any]

    def level(self, state: str, column: str) -> Level | None:
        """Return one level, None where there is no value."""
        return next((one for one in self.levels if (one.state, one.column) == (state, column)), None)


@dataclass(frozen=True)
class Comparison:
    """Two traces side by side.

    Attributes
    ----------
    first, second
        Their key figures.
    los_changes_s
        Pairs of times of the same change of LOS, s; None where the other trace has none within 0.5 s.
    correlation
        By column, Pearson's correlation of the means over 100 ms; a column without values or change is left out.
    """

    first: Summary
    second: Summary
    los_changes_s: list[tuple[float | None, float | None]]
    correlation: dict[str, float]


def summary(trace: Trace) -> Summary:
    """Return the key figures of a trace; rates and delays from the first bin on in which something arrived."""
    known = ~np.isnan(trace.los)
    states = {"all": np.ones(len(trace.time_s), dtype=bool)}
    if known.any():
        states |= {"los": trace.los == 1, "nlos": known & (trace.los < 1)}
    share: dict[str, float] = {one: float(states[one].mean()) for one in states if one != "all"}
    levels = _levels(trace, states)
    return Summary(trace.duration_s, trace.bin_s, share, los_changes_s(trace).tolist(), levels, dict(trace.meta))


def stretches(trace: Trace) -> Summary:
    """Return the key figures of each stretch between changes of line of sight, ``los-1``, ``nlos-1``, ``los-2`` ..."""
    known = np.flatnonzero(~np.isnan(trace.los))
    changes_s = los_changes_s(trace)
    number = np.searchsorted(changes_s, trace.time_s + trace.bin_s / 2)
    states: dict[str, NDArray[np.bool_]] = {}
    free = bool(len(known) and trace.los[known[0]] == 1)
    for i in range(len(changes_s) + 1 if len(known) else 0):
        states[f"{'los' if free == (i % 2 == 0) else 'nlos'}-{i // 2 + 1}"] = number == i
    share = {one: float(chosen.mean()) for one, chosen in states.items()}
    return Summary(trace.duration_s, trace.bin_s, share, changes_s.tolist(), _levels(trace, states), dict(trace.meta))


def _levels(trace: Trace, states: Mapping[str, NDArray[np.bool_]]) -> list[Level]:
    flowing = np.arange(len(trace.time_s)) >= int(np.argmax(trace.throughput_bps > 0))
    return [
        level
        for state, chosen in states.items()
        for column, values in trace.columns().items()
        if column not in ("time_s", "los")
        for level in [_level(state, column, values[chosen & (flowing | (column == "sinr_db"))])]
        if level is not None
    ]


def _level(state: str, column: str, values: Floats) -> Level | None:
    values = values[~np.isnan(values)]
    if values.size == 0:
        return None
    low, middle, high = (float(q) for q in np.quantile(values, QUANTILES))
    extremes = float(values.sum()), float(values.min()), float(values.max())
    return Level(state, column, len(values), float(values.mean()), low, middle, high, *extremes)


def los_changes_s(trace: Trace) -> Floats:
    """Return the times at which LOS and NLOS change [n], s; bins that do not know it keep the state before."""
    known = np.flatnonzero(~np.isnan(trace.los))
    changes = np.flatnonzero(np.diff(trace.los[known]) != 0)
    times: Floats = trace.time_s[known[changes + 1]]
    return times.round(6)


def compare(first: Trace, second: Trace) -> Comparison:
    """Return two traces side by side, their correlation over the time that both cover.

    Raises
    ------
    InputError
        If the shorter trace has fewer than two stretches of 100 ms, or a bin is longer than that.
    """
    one, two = summary(first), summary(second)
    n = int(min(first.duration_s, second.duration_s) / _WINDOW_S + 1e-6)
    if n < 2 or max(first.bin_s, second.bin_s) > _WINDOW_S * 1.001:
        raise InputError("compare", "needs traces of at least 0.2 s, with bins of at most 0.1 s")
    correlation = {}
    for column in _COMPARED:
        both = np.stack([window_means(trace, column, n) for trace in (first, second)])
        both = both[:, ~np.isnan(both).any(axis=0)]
        if both.shape[1] > 1 and (both.std(axis=1) > 0).all():
            correlation[column] = float(np.atleast_2d(np.corrcoef(both))[0, 1])
    return Comparison(one, two, _pairs(one.los_changes_s, two.los_changes_s), correlation)


def window_means(trace: Trace, column: str, n: int, window_s: float = _WINDOW_S) -> Floats:
    """Return the means of a column over the first ``n`` windows [n]; NaN where no bin of a window has a value."""
    values = trace.columns()[column]
    window: NDArray[np.intp] = ((trace.time_s + trace.bin_s / 2) / window_s).astype(np.intp)
    chosen = ~np.isnan(values) & (window < n)
    counts = np.bincount(window[chosen], minlength=n)
    sums = np.bincount(window[chosen], weights=values[chosen], minlength=n)
    means: Floats = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)
    return means


def _pairs(one: list[float], two: list[float]) -> list[tuple[float | None, float | None]]:
    """Return each change of one list with the nearest of the other that is near enough, in order of time."""
    pairs: list[tuple[float | None, float | None]] = []
    rest = list(two)
    for time_s in one:
        near = min(rest, key=lambda other: abs(other - time_s), default=None)
        if near is not None and abs(near - time_s) <= _SAME_CHANGE_S:
            rest.remove(near)
            pairs.append((time_s, near))
        else:
            pairs.append((time_s, None))
    pairs += [(None, time_s) for time_s in rest]
    return sorted(pairs, key=lambda pair: next(time_s for time_s in pair if time_s is not None))
