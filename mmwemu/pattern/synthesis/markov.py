"""A semi-Markov chain fitted to patterns: rate levels by quantiles, with the sojourn times that were seen.

The sources, one after the other, form a loop. Its rate levels are the states; the outage is one of its own. The chain
changes state as often as the loop does, and stays for one of the loop's sojourn times in that state, drawn at random. A
drive starts at a random moment of the loop. So the share of time in each state, and with it the mean rate and the share
of outage, is at any time expected to be that of the sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mmwemu.core.bounds import LONGEST_S, MOST_STEPS, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.units import from_ns, to_ns
from mmwemu.pattern.algebra.joining import concat, content_hash
from mmwemu.pattern.algebra.steps import Index, Nanoseconds, check_number, check_time, edges_ns
from mmwemu.pattern.measures import step_lengths_s
from mmwemu.pattern.model import OPTIONAL, Direction, End, Floats, Outage, Pattern

_KEPT = ("rate_bps", "delay_s", "loss")
_CHUNK = 4096


@dataclass(frozen=True)
class Chain:
    """A fitted chain of n states.

    Attributes
    ----------
    downlink, uplink
        Settings of each state: means over time of rate, delay and loss.
    visits
        State of each sojourn of the loop [m], in order.
    sojourns_ns
        Length of each sojourn [m], ns.
    outage, end
        As in the sources.
    """

    downlink: Direction
    uplink: Direction
    visits: Index
    sojourns_ns: Nanoseconds
    outage: Outage
    end: End


def fit(patterns: Sequence[Pattern], states: int = 4) -> Chain:
    """Fit a chain to the downlink's rate levels of one or several patterns.

    Parameters
    ----------
    patterns
        At least one, with finite rates and no effects but delay and loss.
    states
        Levels beside the outage, which share the time between them equally where the rates allow it.

    Raises
    ------
    InputError
        If a pattern has unlimited rates or other effects, or outages that differ in treatment.
    """
    check_number("states", states, 1, MOST_STEPS)
    for pattern in patterns:
        _refuse_effects(pattern)
    loop = concat(patterns)
    lengths_s = step_lengths_s(loop)
    state = _states(loop.downlink.rate_bps, lengths_s, states)
    downlink, uplink = (_levels(one, state, lengths_s) for one in (loop.downlink, loop.uplink))
    starts = np.flatnonzero(np.append(True, np.diff(state) != 0))
    visits, edges = state[starts], edges_ns(loop)
    sojourns = np.diff(np.append(edges[:-1][starts], edges[-1]))
    if len(visits) > 1 and visits[0] == visits[-1]:  # one sojourn across the seam of the loop
        sojourns[0] += sojourns[-1]
        visits, sojourns = visits[:-1], sojourns[:-1]
    return Chain(downlink, uplink, visits, sojourns, loop.outage, loop.end)


def generate(chain: Chain, duration_s: float, seed: int = 1) -> Pattern:
    """Draw a pattern from a chain.

    Parameters
    ----------
    chain
        As `fit` returns it.
    duration_s
        Length of the pattern, s.
    seed
        Seed of NumPy's PCG64.

    Raises
    ------
    InputError
        If the duration is out of bounds, or there would be more than 1,000,000 steps.
    """
    duration_ns = check_time("duration", duration_s, SHORTEST_STEP_S, LONGEST_S)
    states, ends = _walk(chain, duration_ns, np.random.default_rng(seed))
    edges = np.append(0, ends)
    downlink, uplink = (
        Direction(**{name: getattr(one, name)[states] for name in _KEPT}) for one in (chain.downlink, chain.uplink)
    )
    about = {"kind": "markov", "states": len(chain.downlink.rate_bps), "sojourns": len(chain.visits), "seed": seed}
    time_s = from_ns(edges[:-1].astype(np.float64))
    length_s = float(from_ns(float(duration_ns)))
    return Pattern(time_s, length_s, downlink, uplink, chain.outage, chain.end, {"synthesis": about})


def with_sources(pattern: Pattern, named: Sequence[tuple[str, Pattern]]) -> Pattern:
    """Return a drawn pattern with the names and hashes of its sources in its metadata."""
    sources = [{"name": name, "sha256": content_hash(source)} for name, source in named]
    return replace(pattern, meta={"synthesis": dict(pattern.meta["synthesis"]) | {"sources": sources}})


def _refuse_effects(pattern: Pattern) -> None:
    for name, one in (("downlink", pattern.downlink), ("uplink", pattern.uplink)):
        if np.isinf(one.rate_bps).any():
            raise InputError(f"pattern: {name}_rate_bps", "is unlimited in a step; clip it first")
        for effect in set(OPTIONAL) - set(_KEPT):
            if getattr(one, effect).any():
                raise InputError(f"pattern: {name}_{effect}", "is not part of a chain, which has rate, delay and loss")
    if pattern.packets:
        raise InputError("pattern: packets", "are not part of a chain, which has rate, delay and loss")


def _states(rate_bps: Floats, lengths_s: Floats, count: int) -> Index:
    """Return the state of each step [n], numbered from 0 without gaps, the lowest rate first."""
    state = np.zeros(len(rate_bps), dtype=np.intp)
    on = rate_bps > 0
    if on.any():
        order = np.argsort(rate_bps[on], kind="stable")
        sorted_bps = rate_bps[on][order]
        share = np.cumsum(lengths_s[on][order]) / lengths_s[on].sum()
        bounds = sorted_bps[np.searchsorted(share, np.arange(1, count) / count)]
        state[on] = 1 + np.searchsorted(bounds, rate_bps[on], side="left")
    return np.unique(state, return_inverse=True)[1]


def _levels(direction: Direction, state: Index, lengths_s: Floats) -> Direction:
    """Return the means over time of each state [n_state]."""
    total = np.bincount(state, lengths_s)
    means = {}
    for name in _KEPT:
        values = getattr(direction, name)
        # Rounding does not put a mean outside of its values.
        means[name] = np.clip(np.bincount(state, values * lengths_s) / total, values.min(), values.max())
    return Direction(**means)


def _walk(chain: Chain, duration_ns: int, random: np.random.Generator) -> tuple[Index, Nanoseconds]:
    """Return the state [n] and end, ns, of each sojourn until ``duration_ns``."""
    n = len(chain.visits)
    followers = np.roll(chain.visits, -1)
    by_state = [np.flatnonzero(chain.visits == state) for state in range(len(chain.downlink.rate_bps))]
    moment = int(random.integers(int(chain.sojourns_ns.sum())))
    sojourn = int(np.searchsorted(np.cumsum(chain.sojourns_ns), moment, side="right"))
    state = int(chain.visits[sojourn])
    end = int(np.cumsum(chain.sojourns_ns)[sojourn]) - moment
    if n == 1:
        return chain.visits, np.array([duration_ns])
    states, ends = [state], [end]
    while end < duration_ns:
        for change, stay in random.random((_CHUNK, 2)).tolist():
            choices = by_state[state]
            state = int(followers[choices[int(change * len(choices))]])
            choices = by_state[state]
            end += int(chain.sojourns_ns[choices[int(stay * len(choices))]])
            states.append(state)
            ends.append(end)
            if end >= duration_ns:
                break
        if len(states) > MOST_STEPS:
            raise InputError("duration", f"gives more than {MOST_STEPS} steps; generate a shorter pattern")
    # No step shorter than a step may be, at the start or at the end.
    all_ends, last_ns = np.array(ends), duration_ns - to_ns(SHORTEST_STEP_S)
    inner = (all_ends >= to_ns(SHORTEST_STEP_S)) & (all_ends <= last_ns)
    last = states[int(np.argmax(all_ends > last_ns))]
    return np.append(np.array(states)[inner], last), np.append(all_ends[inner], duration_ns)
