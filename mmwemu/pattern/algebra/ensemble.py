"""One pattern of several that differ in their seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.pattern.algebra.steps import Nanoseconds, at, edges_ns, rebuilt
from mmwemu.pattern.model import Direction, DirectionName, Floats, Pattern

Rule = Literal["median", "worst"]
_SAME = ("scenario", "scenario_hash", "rat", "engine", "conversion")


def ensemble(patterns: Sequence[Pattern], rule: Rule) -> Pattern:
    """Return, at each time and in each direction, the median or worst of patterns of the same cell.

    ``median``: the median of the rates, of the delays and of the losses, each by itself; of an even number the lower of
    the two middle rates, the higher of the two middle delays and losses. ``worst``: the lowest rate, the highest
    delay and loss. Each value is thus that of one of the patterns, but one pattern does not have them all.

    Parameters
    ----------
    patterns
        At least two, made by one conversion of traces of one scenario, with different seeds.
    rule
        What is taken.

    Raises
    ------
    InputError
        If patterns differ in anything but seed and steps.
    """
    if rule not in get_args(Rule):
        raise InputError("ensemble", f"is {rule!r}; must be {' or '.join(get_args(Rule))}")
    if len(patterns) < 2:
        raise InputError("ensemble", f"has {len(patterns)} traces; at least two are needed, of different seeds")
    first = patterns[0]
    for number, one in enumerate(patterns[1:], 2):
        _check_alike(first, one, number)
    seeds = [one.meta.get("seed") for one in patterns]
    if len(set(seeds)) < len(seeds):
        raise InputError("ensemble", f"has seeds {', '.join(map(str, seeds))}; each must differ")
    edges = np.unique(np.concatenate([edges_ns(one) for one in patterns]))
    down, up = (_combined(patterns, edges, rule, name) for name in get_args(DirectionName))
    meta: dict[str, Any] = {key: value for key, value in first.meta.items() if key not in ("seed", "conversion")}
    meta |= {"seeds": seeds, "conversion": dict(first.meta.get("conversion", {})) | {"ensemble": rule}}
    return replace(rebuilt(first, edges, down, up), meta=meta)


def _combined(patterns: Sequence[Pattern], edges: Nanoseconds, rule: Rule, name: DirectionName) -> Direction:
    indices = [at(edges_ns(one), edges[:-1]) for one in patterns]
    directions: list[Direction] = [getattr(one, name) for one in patterns]

    def values(key: str, share: float, side: Literal["lower", "higher"]) -> Floats:
        table = np.array([getattr(one, key)[index] for one, index in zip(directions, indices, strict=True)])
        found: Floats = np.quantile(table, share, axis=0, method=side)
        return found

    low, high = (0.5, 0.5) if rule == "median" else (0.0, 1.0)
    return Direction(
        values("rate_bps", low, "lower"), values("delay_s", high, "higher"), values("loss", high, "higher")
    )


def _check_alike(first: Pattern, other: Pattern, number: int) -> None:
    for key in _SAME:
        if first.meta.get(key) != other.meta.get(key):
            raise InputError(f"trace {number}", f"has another {key} than the first; an ensemble has one cell")
    if first.duration_s != other.duration_s:
        lengths = f"lasts {digits(other.duration_s)} s, the first {digits(first.duration_s)} s"
        raise InputError(f"trace {number}", f"{lengths}; an ensemble has one length")
    if (first.outage, first.end) != (other.outage, other.end):
        raise InputError(f"trace {number}", "treats outages or its end otherwise than the first")
