"""The steps of a pattern over time, as coarse as the kernel can follow them."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, fields, replace

import numpy as np

from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.model import Direction, Floats, Pattern

LEAST_STEP_S = 0.010  # every change refills the bucket: the shorter the step, the larger its share
LONG_S = 0.1
_ROUNDING_S = 1e-7


@dataclass(frozen=True)
class Step:
    """One direction in one step; see `mmwemu.pattern.model.Direction`."""

    rate_bps: float
    delay_s: float = 0.0
    loss: float = 0.0
    jitter_s: float = 0.0
    duplication: float = 0.0
    bit_error: float = 0.0
    reordering: float = 0.0
    gilbert_p: float = 0.0
    gilbert_r: float = 0.0
    loss_bad: float = 0.0


@dataclass(frozen=True)
class Span:
    """A step in time: its number, and from when to when it holds, s after the pattern's start; inf for ever."""

    number: int
    begin_s: float
    end_s: float


def coarsen(pattern: Pattern, least_step_s: float = LEAST_STEP_S) -> Pattern:
    """Join neighbouring steps until each lasts ``least_step_s``, with the mean of all their values.

    The integral of the rate is kept. Steps that last long enough stay as they are, and so does a short last one when
    there is no other.
    """
    edges_s = np.append(pattern.time_s, pattern.duration_s)
    starts = [0]
    for i in range(1, len(pattern.time_s)):
        if edges_s[i] - edges_s[starts[-1]] >= least_step_s * (1 - 1e-9):
            starts.append(i)
    if len(starts) > 1 and edges_s[-1] - edges_s[starts[-1]] < least_step_s * (1 - 1e-9):
        starts.pop()
    if len(starts) == len(pattern.time_s):
        return pattern
    lengths_s = np.diff(edges_s)

    def mean(values: Floats) -> Floats:
        return np.add.reduceat(values * lengths_s, starts) / np.add.reduceat(lengths_s, starts)

    def join(direction: Direction) -> Direction:
        return Direction(**{field.name: mean(getattr(direction, field.name)) for field in fields(Direction)})

    downlink, uplink = join(pattern.downlink), join(pattern.uplink)
    return replace(pattern, time_s=pattern.time_s[starts], downlink=downlink, uplink=uplink)


class Timeline:
    """A pattern's steps over all time.

    Parameters
    ----------
    pattern
        After `coarsen`.
    """

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self._edges_s: list[float] = [*pattern.time_s.tolist(), pattern.duration_s]
        directions = (pattern.downlink, pattern.uplink)
        columns = [[getattr(direction, field.name).tolist() for field in fields(Step)] for direction in directions]
        self._steps = [tuple(map(Step, *values)) for values in columns]

    def span(self, time_s: float) -> Span:
        """Return the step that holds at a time; after a pattern that stops, one numbered after the last."""
        n, duration_s = len(self._edges_s) - 1, self.pattern.duration_s
        rounds = 0
        if time_s >= duration_s:
            if self.pattern.end == "stop":
                return Span(n, duration_s, math.inf)
            if self.pattern.end == "hold":
                return Span(n - 1, self._edges_s[-2], math.inf)
            rounds = int(time_s // duration_s)
        base_s = rounds * duration_s
        i = min(max(bisect_right(self._edges_s, time_s - base_s) - 1, 0), n - 1)
        end_s = base_s + self._edges_s[i + 1]
        forever = i == n - 1 and self.pattern.end == "hold"
        return Span(i, base_s + self._edges_s[i], math.inf if forever else end_s)

    def step(self, direction: int, number: int) -> Step:
        """Return the values of a direction, 0 for downlink and 1 for uplink, in a step."""
        steps = self._steps[direction]
        if number < len(steps):
            return steps[number]
        return replace(steps[-1], rate_bps=0.0)

    def lasts_s(self, direction: int, span: Span, time_s: float) -> float:
        """Return how long the direction's rate stays from a time in a span on, s; inf for `LONG_S` or more."""
        rate_bps, end_s = self.step(direction, span.number).rate_bps, span.end_s
        while end_s - time_s < LONG_S:
            after = self.span(end_s + _ROUNDING_S)
            if self.step(direction, after.number).rate_bps != rate_bps:
                return end_s - time_s
            end_s = after.end_s
        return math.inf

    def capacity_bytes(self, direction: int, begin_s: float, end_s: float) -> float:
        """Integrate a direction's rate between two times, bytes."""
        which = self.pattern.downlink if direction == 0 else self.pattern.uplink
        return float(capacity_bytes(self.pattern, which, np.array([begin_s, end_s]))[0])
