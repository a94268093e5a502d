"""Blockages laid over a pattern."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

import numpy as np

from mmwemu.core.bounds import LONGEST_S, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.units import NS_PER_S, to_ns
from mmwemu.pattern.algebra.steps import (
    Directions,
    Nanoseconds,
    at,
    check_extent,
    check_number,
    check_time,
    edges_ns,
    noted,
    pick,
    rebuilt,
)
from mmwemu.pattern.model import Direction, Floats, Outage, Pattern

RAMP_STEPS = 10
"""Steps of a ramp, in which the rate falls or recovers linearly."""

_SHORTEST_RAMP_S = 2 * RAMP_STEPS * SHORTEST_STEP_S


@dataclass(frozen=True)
class Blockage:
    """A blockage, once or again and again.

    Attributes
    ----------
    start_s
        Start of the fall, s.
    duration_s
        Time from the start of the fall to the end of the recovery, s; what lies beyond the pattern is cut off.
    remaining
        Share of the rate that remains, 0 to 1; 0 is an outage.
    ramp_s
        Length of the fall and of the recovery each, s; the rate changes linearly, in `RAMP_STEPS` steps. 0 is at once.
    every_s
        Time from start to start, s; None is a single blockage.

    Raises
    ------
    InputError
        If a value is out of its bounds, or the blockage would overlap itself.
    """

    start_s: float
    duration_s: float
    remaining: float = 0.0
    ramp_s: float = 0.0
    every_s: float | None = None

    def __post_init__(self) -> None:
        check_time("start", self.start_s, 0.0, LONGEST_S)
        check_time("duration", self.duration_s, SHORTEST_STEP_S, LONGEST_S)
        check_number("remaining", self.remaining, 0.0, 1.0)
        check_time("ramp", self.ramp_s, 0.0, self.duration_s / 2)
        if 0 < self.ramp_s < _SHORTEST_RAMP_S:
            raise InputError("ramp", f"is {self.ramp_s:g} s; must be 0 or at least {_SHORTEST_RAMP_S:g} s")
        if self.every_s is not None:
            check_time("every", self.every_s, self.duration_s, LONGEST_S)


def remaining_of(depth_db: float) -> float:
    """Return the share of the rate that remains at a depth in dB of rate: 10 dB leave a tenth."""
    return float(10 ** (-check_number("depth", depth_db, 0.0, math.inf) / 10))


def blockage(
    pattern: Pattern, overlay: Blockage, direction: Directions = "both", outage: Outage | None = None
) -> Pattern:
    """Lay a blockage over a pattern: its rates are multiplied by the share that remains.

    Parameters
    ----------
    pattern
        Any pattern.
    overlay
        The blockage.
    direction
        Which rates fall.
    outage
        Treatment of packets in all outages of the result; None is as in the pattern.

    Raises
    ------
    InputError
        If it starts after the pattern's end, an unlimited rate would fall to a share of itself, or a step of less than
        1 us comes about.
    """
    edges = edges_ns(pattern)
    if to_ns(overlay.start_s) >= edges[-1]:
        raise InputError("start", f"is {overlay.start_s:.10g} s; the pattern lasts {pattern.duration_s:.10g} s")
    passes = 1 if overlay.every_s is None else math.ceil((pattern.duration_s - overlay.start_s) / overlay.every_s)
    check_extent(len(pattern.time_s) + passes * 2 * (RAMP_STEPS + 1), 0)
    times, shares = _shares(overlay, passes)
    new = np.unique(np.concatenate([edges, times[times < edges[-1]]]))
    share = np.append(1.0, shares)[np.searchsorted(times, new[:-1], side="right")]
    index = at(edges, new[:-1])
    downlink, uplink = (
        _blocked(part, share) if direction in ("both", name) else part
        for name, part in (("downlink", pick(pattern.downlink, index)), ("uplink", pick(pattern.uplink, index)))
    )
    done = rebuilt(pattern, new, downlink, uplink, outage=outage or pattern.outage)
    return noted(done, "blockage", **asdict(overlay), direction=direction, outage=outage)


def _shares(overlay: Blockage, passes: int) -> tuple[Nanoseconds, Floats]:
    """Return the times [m], ns, at which the remaining share of the rate changes, and the shares from then on [m]."""
    duration_ns, ramp_ns = to_ns(overlay.duration_s), to_ns(overlay.ramp_s)
    n_ramp = RAMP_STEPS if ramp_ns else 0
    fall = np.rint(np.arange(n_ramp) * ramp_ns / RAMP_STEPS).astype(np.int64)
    times = np.concatenate([fall, [ramp_ns], duration_ns - ramp_ns + fall, [duration_ns]])
    falling = 1 - (1 - overlay.remaining) * (np.arange(n_ramp) + 0.5) / RAMP_STEPS
    shares = np.concatenate([falling, [overlay.remaining], falling[::-1], [1.0]])
    if overlay.ramp_s and 2 * ramp_ns == duration_ns:  # no time at full depth
        times, shares = np.delete(times, n_ramp), np.delete(shares, n_ramp)
    starts = np.rint((overlay.start_s + np.arange(passes) * (overlay.every_s or 0.0)) * NS_PER_S).astype(np.int64)
    all_times = (starts[:, None] + times).ravel()
    # Where one blockage begins as the last ends, the later change holds.
    last = np.append(np.diff(all_times) > 0, True)
    return all_times[last], np.tile(shares, passes)[last]


def _blocked(direction: Direction, share: Floats) -> Direction:
    rate_bps = direction.rate_bps
    if (np.isinf(rate_bps) & (share > 0) & (share < 1)).any():
        raise InputError("pattern", "has an unlimited rate where it is blocked, which has no share; clip it first")
    return replace(direction, rate_bps=np.where(share == 0, 0.0, rate_bps * np.where(share == 0, 1.0, share)))
