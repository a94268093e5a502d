"""Operations on the time of a pattern: cut, shift, repeat, slow."""

from __future__ import annotations

import numpy as np

from mmwemu.core.bounds import LONGEST_S, MOST_STEPS, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.units import to_ns
from mmwemu.pattern.algebra.steps import (
    at,
    check_extent,
    check_number,
    check_time,
    edges_ns,
    noted,
    pick,
    rebuilt,
)
from mmwemu.pattern.model import Pattern

_LARGEST_FACTOR = 1e9


def cut(pattern: Pattern, from_s: float = 0.0, to_s: float | None = None) -> Pattern:
    """Return the part of a pattern from one time to another, which starts at 0 again.

    Parameters
    ----------
    pattern
        Any pattern; its ``end`` then applies to the part.
    from_s, to_s
        Times in the pattern, s; None is its end.

    Raises
    ------
    InputError
        If the times are not in the pattern, do not rise, or leave a step of less than 1 us.
    """
    edges = edges_ns(pattern)
    until_s = pattern.duration_s if to_s is None else to_s
    stop = check_time("to", until_s, SHORTEST_STEP_S, pattern.duration_s)
    start = check_time("from", from_s, 0.0, until_s - SHORTEST_STEP_S)
    inside = edges[(edges > start) & (edges < stop)]
    new = np.concatenate([[start], inside, [stop]])
    index = at(edges, new[:-1])
    part = rebuilt(pattern, new - start, pick(pattern.downlink, index), pick(pattern.uplink, index))
    return noted(part, "cut", from_s=from_s, to_s=until_s)


def shift(pattern: Pattern, by_s: float) -> Pattern:
    """Rotate a pattern in time: everything comes ``by_s`` later, and what leaves the end enters at the start.

    Parameters
    ----------
    pattern
        Any pattern.
    by_s
        Time, s; negative is earlier.

    Raises
    ------
    InputError
        If ``by_s`` is beyond 30 days, or a step of less than 1 us comes about.
    """
    edges = edges_ns(pattern)
    turn = check_time("by", by_s, -LONGEST_S, LONGEST_S) % int(edges[-1])
    new = np.unique(np.concatenate([[0, edges[-1]], (edges[:-1] + turn) % edges[-1]]))
    index = at(edges, (new[:-1] - turn) % edges[-1])
    turned = rebuilt(pattern, new, pick(pattern.downlink, index), pick(pattern.uplink, index))
    return noted(turned, "shift", by_s=by_s)


def repeat(pattern: Pattern, times: int) -> Pattern:
    """Return a pattern that plays ``times`` times one after the other.

    Raises
    ------
    InputError
        If ``times`` is below 1, or the result longer than 30 days or 1,000,000 steps.
    """
    check_number("times", times, 1, MOST_STEPS)
    check_extent(len(pattern.time_s) * times, pattern.duration_s * times)
    edges = edges_ns(pattern)
    starts = (edges[:-1] + np.arange(times, dtype=np.int64)[:, None] * edges[-1]).ravel()
    index = np.tile(np.arange(len(pattern.time_s)), times)
    longer = rebuilt(
        pattern, np.append(starts, edges[-1] * times), pick(pattern.downlink, index), pick(pattern.uplink, index)
    )
    return noted(longer, "repeat", times=times)


def slow(pattern: Pattern, factor: float) -> Pattern:
    """Slow down the time of a pattern: each step lasts ``factor`` times as long; rates and delays stay.

    Parameters
    ----------
    pattern
        Any pattern.
    factor
        Above 0; below 1 the pattern plays faster.

    Raises
    ------
    InputError
        If a step becomes shorter than 1 us or the pattern longer than 30 days.
    """
    check_number("factor", factor, 1 / _LARGEST_FACTOR, _LARGEST_FACTOR)
    check_extent(len(pattern.time_s), pattern.duration_s * factor)
    edges = np.rint(edges_ns(pattern) * factor).astype(np.int64)
    if np.diff(edges).min() < to_ns(SHORTEST_STEP_S):
        raise InputError("factor", f"is {factor:.10g}; a step would be shorter than {SHORTEST_STEP_S:g} s")
    return noted(rebuilt(pattern, edges, pattern.downlink, pattern.uplink), "slow", factor=factor)
