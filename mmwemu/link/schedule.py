"""A pattern in the form the engine reads, and the integral of its rate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.pattern.model import OPTIONAL, Direction, Floats, Pattern

NS_PER_S = 1e9


def to_ns(time_s: float) -> int:
    """Give a time in whole nanoseconds."""
    return round(time_s * NS_PER_S)


def render(pattern: Pattern) -> str:
    """Write a pattern as the engine's schedule, version 2.

    First line: ``schedule 2 OUTAGE END DURATION_NS``. Then a line for each step that changes something: start [ns],
    then of the downlink and of the uplink rate [bit/s], delay [ns], loss, jitter [ns], duplication, bit errors,
    reordering, and p, r and 1-h of the Gilbert-Elliott model. Then a line for each packet that is told by its number,
    rising: ``packet down|up NUMBER ACTION DELAY_NS``.

    Raises
    ------
    InputError
        If two steps are less than a nanosecond apart.
    """
    columns: list[NDArray[Any]] = [_whole_ns(pattern.time_s)]
    for direction in (pattern.downlink, pattern.uplink):
        columns.append(direction.rate_bps)
        for key in OPTIONAL:
            values: Floats = getattr(direction, key)
            columns.append(_whole_ns(values) if key.endswith("_s") else values)
    duration_ns = to_ns(pattern.duration_s)
    bad = np.flatnonzero(np.diff(np.append(columns[0], duration_ns)) <= 0)
    if bad.size:
        raise InputError(f"pattern: row {int(bad[0]) + 1}", "lasts less than a nanosecond; the link cannot replay it")
    changes = np.ones(len(columns[0]), dtype=bool)
    changes[1:] = np.any([column[1:] != column[:-1] for column in columns[1:]], axis=0)
    lines = [f"schedule 2 {pattern.outage} {pattern.end} {duration_ns}"]
    rows = zip(*(column[changes].tolist() for column in columns), strict=True)
    lines += [" ".join(map(repr, row)) for row in rows]
    lines += [
        f"packet {event.direction.removesuffix('link')} {event.number} {event.action} {to_ns(event.delay_s)}"
        for event in sorted(pattern.packets, key=lambda event: event.number)
    ]
    return "\n".join(lines) + "\n"


def _whole_ns(times_s: Floats) -> NDArray[np.int64]:
    return np.rint(times_s * NS_PER_S).astype(np.int64)


def capacity_bytes(pattern: Pattern, direction: Direction, times_s: Floats) -> Floats:
    """Integrate the rate between successive times.

    Parameters
    ----------
    pattern
        Gives the steps' times and the end.
    direction
        ``pattern.downlink`` or ``pattern.uplink``.
    times_s
        Rising times in the pattern [n], s; they may be after its end.

    Returns
    -------
    NDArray
        What could pass between each time and the next [n - 1], bytes; inf where the rate is unlimited.
    """
    unlimited = np.isinf(direction.rate_bps)
    finite = _integral(pattern, np.where(unlimited, 0.0, direction.rate_bps), times_s)
    unlimited_s = _integral(pattern, unlimited.astype(np.float64), times_s)
    return np.where(np.diff(unlimited_s) > 0, np.inf, np.diff(finite) / 8)


def _integral(pattern: Pattern, values: Floats, times_s: Floats) -> Floats:
    edges_s = np.append(pattern.time_s, pattern.duration_s)
    sums = np.concatenate(([0.0], np.cumsum(values * np.diff(edges_s))))
    if pattern.end == "loop":
        rounds = np.floor(times_s / pattern.duration_s)
        before: Floats = np.interp(times_s - rounds * pattern.duration_s, edges_s, sums)
        whole: Floats = rounds * sums[-1]
        return before + whole
    inside: Floats = np.interp(times_s, edges_s, sums)
    if pattern.end == "stop":
        return inside
    after: Floats = np.maximum(times_s - pattern.duration_s, 0.0) * values[-1]
    return inside + after
