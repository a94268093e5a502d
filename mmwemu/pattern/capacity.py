"""The integral of a pattern's rate over time."""

from __future__ import annotations

import numpy as np

from mmwemu.core.bounds import HIGHEST_RATE_BPS
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


def time_to_pass(pattern: Pattern, direction: Direction, start_s: float, n_bytes: float) -> float:
    """Return how long a number of bytes takes from a time in the pattern on, s; inf if they never pass."""
    edges_s = np.append(pattern.time_s, pattern.duration_s)
    rates_bps = np.minimum(direction.rate_bps, HIGHEST_RATE_BPS)  # unlimited takes no time worth telling
    sums = np.concatenate(([0.0], np.cumsum(rates_bps * np.diff(edges_s)))) / 8
    whole = float(sums[-1])
    if pattern.end == "loop":
        rounds, phase_s = divmod(start_s, pattern.duration_s)
        goal = rounds * whole + float(np.interp(phase_s, edges_s, sums)) + n_bytes
        rounds, rest = divmod(goal, whole) if whole else (np.inf, 0.0)
        return float(rounds * pattern.duration_s + _reached_s(rest, sums, edges_s) - start_s)
    last_s = max(start_s, pattern.duration_s)
    goal = float(np.interp(start_s, edges_s, sums)) + n_bytes
    if goal <= whole and start_s < pattern.duration_s:
        return _reached_s(goal, sums, edges_s) - start_s
    rate_bps = float(rates_bps[-1]) if pattern.end == "hold" else 0.0
    return last_s + (goal - whole) * 8 / rate_bps - start_s if rate_bps else np.inf


def _reached_s(goal: float, sums: Floats, edges_s: Floats) -> float:
    """Return the first time at which a sum is reached."""
    i = int(np.searchsorted(sums, goal, side="left"))
    if i == 0 or sums[i] == sums[i - 1]:
        return float(edges_s[i])
    share = (goal - sums[i - 1]) / (sums[i] - sums[i - 1])
    return float(edges_s[i - 1] + share * (edges_s[i] - edges_s[i - 1]))


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
