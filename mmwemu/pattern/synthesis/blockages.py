"""Obstacles in the path of a 60 GHz link, as measured by Chen et al. 2020.

Chen et al., Transfer performance analysis of TCP over 5G/B5G mmWave networks, Computer Systems & Applications 29(8):
9-15, 2020, http://www.c-s-a.org.cn/1003-3254/7610.html, section 4.1: a bare link above 2500 Mbit/s, obstacles held into
it at 7 s and at 15 s. The text states the fall for the iron plate only, about 80 %, at once and with full recovery. Of
cardboard and a body it says less, and of no blockage how long it lasted: these have to be given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mmwemu.core.bounds import LONGEST_S, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.units import from_ns, to_ns
from mmwemu.pattern.algebra.steps import Nanoseconds, check_number, check_time
from mmwemu.pattern.model import Direction, End, Outage, Pattern
from mmwemu.pattern.synthesis.lengths import Lengths
from mmwemu.pattern.synthesis.onoff import alternating

Obstacle = Literal["iron-plate", "cardboard", "body"]

SOURCE = "Chen et al. 2020, Computer Systems & Applications 29(8): 9-15, section 4.1"
RATE_BPS = 2500e6
STARTS_S = (7.0, 15.0)
OBSTACLES: dict[Obstacle, str] = {
    "iron-plate": "3 mm iron plate, 40 cm x 40 cm",
    "cardboard": "5 mm cardboard, 40 cm x 40 cm",
    "body": "human body",
}
_REMAINING: dict[Obstacle, float] = {"iron-plate": 0.2}


@dataclass(frozen=True)
class Obstacles:
    """Options of a link that an obstacle blocks.

    Attributes
    ----------
    obstacle
        ``iron-plate``, ``cardboard`` or ``body``.
    blocked
        Lengths of the blockages.
    remaining
        Share of the rate that remains, 0 to 1; None is the measured one, which is known of the iron plate only.
    rate_bps
        Rate of the bare link, bit/s.
    starts_s
        Starts of the blockages, s.
    gap
        Lengths of the free times between blockages, drawn instead of ``starts_s``.
    duration_s
        Length of the pattern, s.
    seed
        Seed of NumPy's PCG64.
    outage, end
        As in `Pattern`.
    """

    obstacle: Obstacle
    blocked: Lengths
    remaining: float | None = None
    rate_bps: float = RATE_BPS
    starts_s: Sequence[float] = STARTS_S
    gap: Lengths | None = None
    duration_s: float = 20.0
    seed: int = 1
    outage: Outage = "hold"
    end: End = "loop"


def generate(options: Obstacles) -> Pattern:
    """Return a pattern of a blocked link, the same in both directions.

    Raises
    ------
    InputError
        If the share that remains is neither measured nor given, or blockages overlap or start after the end.
    """
    remaining = _REMAINING.get(options.obstacle) if options.remaining is None else options.remaining
    if remaining is None:
        raise InputError("remaining", f"is not stated for {options.obstacle} by {SOURCE}; give the share of the rate")
    check_number("remaining", remaining, 0.0, 1.0)
    duration_ns = check_time("duration", options.duration_s, SHORTEST_STEP_S, LONGEST_S)
    random = np.random.default_rng(options.seed)
    if options.gap is None:
        edges = _at(options, duration_ns, random)
    else:
        edges = alternating(options.gap, options.blocked, duration_ns, random)
    share = np.where(np.arange(len(edges) - 1) % 2, remaining, 1.0)
    kept = np.diff(edges) > 0  # no free time before a blockage at 0
    rate_bps = options.rate_bps * share[kept]
    nothing = np.zeros(len(rate_bps))
    both = Direction(rate_bps, nothing, nothing)
    about = {
        "kind": "blockage",
        "obstacle": OBSTACLES[options.obstacle],
        "measured_by": SOURCE,
        "rate_bps": options.rate_bps,
        "remaining": remaining,
        "remaining_is": "as measured" if options.remaining is None else "given",
        "blocked": str(options.blocked),
        "seed": options.seed,
    }
    about |= {"starts_s": list(options.starts_s)} if options.gap is None else {"gap": str(options.gap)}
    time_s, duration_s = from_ns(edges[:-1][kept].astype(np.float64)), float(from_ns(float(duration_ns)))
    return Pattern(time_s, duration_s, both, both, options.outage, options.end, {"synthesis": about})


def _at(options: Obstacles, duration_ns: int, random: np.random.Generator) -> Nanoseconds:
    """Return the edges [n + 1], ns, of free and blocked times in turn, the first free."""
    starts = np.array([check_time("start", start_s, 0.0, options.duration_s) for start_s in sorted(options.starts_s)])
    ends = starts + options.blocked.draw(len(starts), random)
    if (starts[1:] <= ends[:-1]).any():
        raise InputError("starts", "leave a blockage no time to end before the next one")
    if (starts > duration_ns - to_ns(SHORTEST_STEP_S)).any():
        raise InputError("start", f"is not before the end of the pattern, {options.duration_s:.10g} s")
    inner = np.stack([starts, ends], axis=1).ravel()
    return np.concatenate([[0], inner[inner <= duration_ns - to_ns(SHORTEST_STEP_S)], [duration_ns]])
