"""A rate that outages of drawn lengths interrupt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmwemu.core.bounds import LONGEST_S, MOST_STEPS, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.units import from_ns, to_ns
from mmwemu.pattern.algebra.steps import Nanoseconds, check_time
from mmwemu.pattern.model import Direction, End, Outage, Pattern
from mmwemu.pattern.synthesis.lengths import Lengths


@dataclass(frozen=True)
class OnOff:
    """Options of a rate with outages.

    Attributes
    ----------
    rate_bps
        Rate outside of outages, bit/s.
    on, off
        Lengths of the times between outages, with which the pattern starts, and of the outages.
    duration_s
        Length of the pattern, s; the last time is cut off there.
    seed
        Seed of NumPy's PCG64.
    outage, end
        As in `Pattern`.
    """

    rate_bps: float
    on: Lengths
    off: Lengths
    duration_s: float
    seed: int = 1
    outage: Outage = "hold"
    end: End = "loop"


def generate(options: OnOff) -> Pattern:
    """Return a pattern with the same rate and outages in both directions.

    Raises
    ------
    InputError
        If the duration or rate is out of bounds, or there would be more than 1,000,000 steps.
    """
    duration_ns = check_time("duration", options.duration_s, SHORTEST_STEP_S, LONGEST_S)
    edges = alternating(options.on, options.off, duration_ns, np.random.default_rng(options.seed))
    rate_bps = np.where(np.arange(len(edges) - 1) % 2, 0.0, options.rate_bps)
    nothing = np.zeros(len(rate_bps))
    both = Direction(rate_bps, nothing, nothing)
    about = {
        "kind": "onoff",
        "rate_bps": options.rate_bps,
        "on": str(options.on),
        "off": str(options.off),
        "seed": options.seed,
    }
    time_s, duration_s = from_ns(edges[:-1].astype(np.float64)), float(from_ns(float(duration_ns)))
    return Pattern(time_s, duration_s, both, both, options.outage, options.end, {"synthesis": about})


def alternating(first: Lengths, second: Lengths, duration_ns: int, random: np.random.Generator) -> Nanoseconds:
    """Return the edges [n + 1], ns, of lengths drawn in turn from two distributions, until ``duration_ns``.

    A rest of less than 1 us at the end belongs to the length before it.

    Raises
    ------
    InputError
        If there would be more than 1,000,000 lengths.
    """
    parts: list[Nanoseconds] = []
    covered_ns, count, chunk = 0, 0, 64
    while covered_ns < duration_ns:
        if count > MOST_STEPS:
            raise InputError("lengths", f"give more than {MOST_STEPS} steps; draw longer ones or a shorter pattern")
        pair = np.stack([first.draw(chunk, random), second.draw(chunk, random)], axis=1).ravel()
        ends = covered_ns + np.cumsum(pair)
        parts.append(ends)
        covered_ns, count, chunk = int(ends[-1]), count + len(ends), chunk * 2
    inner = np.concatenate(parts)
    inner = inner[inner <= duration_ns - to_ns(SHORTEST_STEP_S)]
    if len(inner) >= MOST_STEPS:
        raise InputError("lengths", f"give more than {MOST_STEPS} steps; draw longer ones or a shorter pattern")
    return np.concatenate([[0], inner, [duration_ns]])
