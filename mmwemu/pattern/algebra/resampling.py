"""Means of a pattern over equal steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmwemu.core.bounds import LONGEST_S, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.units import to_ns
from mmwemu.pattern.algebra.steps import at, check_extent, check_time, edges_ns, noted, pick, rebuilt
from mmwemu.pattern.model import OPTIONAL, Direction, Floats, Pattern

_BURSTS = ("gilbert_p", "gilbert_r", "loss_bad")


def resample(pattern: Pattern, step_s: float) -> Pattern:
    """Return the mean of a pattern over each step of ``step_s``; the bytes that it carries stay the same.

    Delays and probabilities are means over the capacity, so that what a sender that fills the link meets stays the
    same; they are means over time where the capacity is 0 or unlimited. A step that was unlimited for some of its time
    becomes unlimited. The last step may be shorter.

    Parameters
    ----------
    pattern
        A pattern whose loss in bursts, if any, is the same in all steps.
    step_s
        Length of a step, s.

    Raises
    ------
    InputError
        If loss in bursts changes over time, or there would be more than 1,000,000 steps.
    """
    step_ns = check_time("step", step_s, SHORTEST_STEP_S, LONGEST_S)
    check_extent(pattern.duration_s / step_s, 0)
    edges = edges_ns(pattern)
    new = np.arange(0, edges[-1], step_ns, dtype=np.int64)
    if len(new) > 1 and edges[-1] - new[-1] < to_ns(SHORTEST_STEP_S):
        new = new[:-1]
    fine = np.unique(np.concatenate([edges, new]))
    lengths, starts = np.diff(fine).astype(np.float64), np.searchsorted(fine, new)
    index = at(edges, fine[:-1])
    means = (_means(pick(one, index), lengths, starts) for one in (pattern.downlink, pattern.uplink))
    return noted(rebuilt(pattern, np.append(new, edges[-1]), *means), "resample", step_s=step_s)


def _means(direction: Direction, lengths: Floats, starts: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Direction:
    changing = [name for name in _BURSTS if np.ptp(getattr(direction, name)) > 0]
    if changing:
        raise InputError(f"pattern: {changing[0]}", "changes over time; loss in bursts has no mean")
    total = np.add.reduceat(lengths, starts)
    rate_bps = _within(direction.rate_bps, np.add.reduceat(direction.rate_bps * lengths, starts) / total, starts)
    steps = np.append(np.diff(starts), len(lengths) - starts[-1])
    by_capacity = np.repeat((rate_bps > 0) & np.isfinite(rate_bps), steps)
    weights = np.where(by_capacity, np.where(by_capacity, direction.rate_bps, 0.0) * lengths, lengths)
    total = np.add.reduceat(weights, starts)
    others = {
        name: _within(values, np.add.reduceat(values * weights, starts) / total, starts)
        for name in OPTIONAL
        for values in [getattr(direction, name)]
    }
    return replace(direction, rate_bps=rate_bps, **others)


def _within(values: Floats, means: Floats, starts: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    """Return means that rounding has not put outside of their values."""
    return np.clip(means, np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts))
