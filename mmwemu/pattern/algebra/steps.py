"""Parts of every operation: steps in whole nanoseconds, their selection, and the record of what was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import LONGEST_S, MOST_STEPS
from mmwemu.core.errors import InputError
from mmwemu.core.units import NS_PER_S, from_ns, to_ns
from mmwemu.pattern.model import Direction, Pattern

Directions = Literal["both", "downlink", "uplink"]
Nanoseconds = NDArray[np.int64]
Index = NDArray[np.intp]

_FIELDS = tuple(field.name for field in fields(Direction))


def edges_ns(pattern: Pattern) -> Nanoseconds:
    """Return the start of each step and the end of the last [n + 1], ns."""
    return np.rint(np.append(pattern.time_s, pattern.duration_s) * NS_PER_S).astype(np.int64)


def at(edges: Nanoseconds, times_ns: Nanoseconds) -> Index:
    """Return the index of the step that holds at each of ``times_ns`` [m]."""
    return np.searchsorted(edges[:-1], times_ns, side="right") - 1


def pick(direction: Direction, index: Index) -> Direction:
    """Return a direction whose step i has the settings of step ``index[i]``."""
    return Direction(**{name: getattr(direction, name)[index] for name in _FIELDS})


def joined(parts: Sequence[Direction]) -> Direction:
    """Return the steps of several directions one after the other."""
    return Direction(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in _FIELDS})


def changed(pattern: Pattern, which: Directions, change: Callable[[Direction], Direction]) -> Pattern:
    """Return the pattern with one or both directions changed."""
    downlink = pattern.downlink if which == "uplink" else change(pattern.downlink)
    uplink = pattern.uplink if which == "downlink" else change(pattern.uplink)
    return replace(pattern, downlink=downlink, uplink=uplink)


def rebuilt(pattern: Pattern, edges: Nanoseconds, downlink: Direction, uplink: Direction, **changes: Any) -> Pattern:
    """Return a pattern of new steps; equal neighbours become one.

    Raises
    ------
    InputError
        If the steps break a rule of patterns, such as one of less than 1 us.
    """
    same = np.ones(len(edges) - 2, dtype=bool)
    for direction in (downlink, uplink):
        for name in _FIELDS:
            values = getattr(direction, name)
            same &= values[1:] == values[:-1]
    kept = np.flatnonzero(np.append(True, ~same))
    return replace(
        pattern,
        time_s=from_ns(edges[:-1][kept].astype(np.float64)),
        duration_s=float(from_ns(float(edges[-1]))),
        downlink=pick(downlink, kept),
        uplink=pick(uplink, kept),
        **changes,
    )


def noted(pattern: Pattern, verb: str, **parameters: Any) -> Pattern:
    """Return the pattern with an operation added to its metadata; parameters of None are left out."""
    done = {"verb": verb} | {name: value for name, value in parameters.items() if value is not None}
    before = pattern.meta.get("operations", [])
    operations = [*before, done] if isinstance(before, list) else [before, done]
    return replace(pattern, meta=dict(pattern.meta) | {"operations": operations})


def check_extent(n_steps: float, duration_s: float) -> None:
    """Refuse a pattern that would be too long, before it takes memory.

    Raises
    ------
    InputError
        If it would have more than `MOST_STEPS` steps or last longer than `LONGEST_S`.
    """
    if n_steps > MOST_STEPS:
        raise InputError("pattern", f"would have {n_steps:.10g} steps; must have at most {MOST_STEPS}")
    if duration_s > LONGEST_S:
        raise InputError("pattern", f"would last {duration_s:.10g} s; must last at most {LONGEST_S:.10g} s")


def check_time(name: str, time_s: float, least_s: float, most_s: float) -> int:
    """Return a time in ns.

    Raises
    ------
    InputError
        If it is not from ``least_s`` to ``most_s``; ``name`` says which time it is.
    """
    if not least_s <= time_s <= most_s:
        raise InputError(name, f"is {time_s:.10g} s; must be from {least_s:.10g} to {most_s:.10g} s")
    return to_ns(time_s)


def check_number(name: str, value: float, least: float, most: float) -> float:
    """Return a number from ``least`` to ``most``.

    Raises
    ------
    InputError
        If it is not within these bounds, or NaN.
    """
    if not least <= value <= most:
        raise InputError(name, f"is {value:.10g}; must be from {least:.10g} to {most:.10g}")
    return value
