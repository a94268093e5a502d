"""A pattern in the form the engine reads, and the integral of its rate."""

from __future__ import annotations

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.pattern.model import Direction, Floats, Pattern

NS_PER_S = 1e9


def to_ns(time_s: float) -> int:
    """Give a time in whole nanoseconds."""
    return round(time_s * NS_PER_S)


def render(pattern: Pattern) -> str:
    """Write a pattern as the engine's schedule, version 1.

    First line: ``schedule 1 OUTAGE END DURATION_NS``. Then a line for each step that changes something: start [ns],
    then rate [bit/s], delay [ns] and loss of the downlink and of the uplink.

    Raises
    ------
    InputError
        If two steps are less than a nanosecond apart.
    """
    columns = [
        np.rint(pattern.time_s * NS_PER_S).astype(np.int64),
        pattern.downlink.rate_bps,
        np.rint(pattern.downlink.delay_s * NS_PER_S).astype(np.int64),
        pattern.downlink.loss,
        pattern.uplink.rate_bps,
        np.rint(pattern.uplink.delay_s * NS_PER_S).astype(np.int64),
        pattern.uplink.loss,
    ]
    duration_ns = to_ns(pattern.duration_s)
    bad = np.flatnonzero(np.diff(np.append(columns[0], duration_ns)) <= 0)
    if bad.size:
        raise InputError(f"pattern: row {int(bad[0]) + 1}", "lasts less than a nanosecond; the link cannot replay it")
    changes = np.ones(len(columns[0]), dtype=bool)
    changes[1:] = np.any([column[1:] != column[:-1] for column in columns[1:]], axis=0)
    lines = [f"schedule 1 {pattern.outage} {pattern.end} {duration_ns}"]
    rows = zip(*(column[changes].tolist() for column in columns), strict=True)
    lines += [" ".join(map(repr, row)) for row in rows]
    return "\n".join(lines) + "\n"


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
