"""The integral of a pattern's rate over time."""

from __future__ import annotations

import numpy as np

from mmwemu.pattern.model import Direction, Floats, Pattern


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
