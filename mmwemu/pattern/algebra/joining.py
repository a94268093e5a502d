"""Operations that take several patterns: concat and join_uplink."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.pattern.algebra.steps import (
    Nanoseconds,
    at,
    check_extent,
    edges_ns,
    joined,
    noted,
    pick,
    rebuilt,
)
from mmwemu.pattern.formats import native
from mmwemu.pattern.model import Direction, Outage, Pattern


def concat(patterns: Sequence[Pattern], outage: Outage | None = None) -> Pattern:
    """Return patterns one after the other; the last one's ``end`` holds.

    Parameters
    ----------
    patterns
        At least one; only the first may have effects on single packets, which are counted from its start.
    outage
        Treatment of packets in outages, needed only where patterns with outages differ in it.

    Raises
    ------
    InputError
        If later patterns select packets by number, outages differ, or the result is too long.
    """
    if not patterns:
        raise InputError("concat", "has no patterns; at least one is needed")
    for number, one in enumerate(patterns[1:], 2):
        if one.packets:
            raise InputError(f"pattern {number}", "has effects on single packets, which are counted from its start")
    check_extent(sum(len(one.time_s) for one in patterns), sum(one.duration_s for one in patterns))
    first = patterns[0]
    ends = np.cumsum([edges_ns(one)[-1] for one in patterns])
    starts = [edges_ns(one)[:-1] + end - edges_ns(one)[-1] for one, end in zip(patterns, ends, strict=True)]
    whole = rebuilt(
        first,
        np.append(np.concatenate(starts), ends[-1]),
        joined([one.downlink for one in patterns]),
        joined([one.uplink for one in patterns]),
        outage=outage or _common_outage(patterns),
        end=patterns[-1].end,
    )
    return noted(whole, "concat", sha256=[content_hash(one) for one in patterns], outage=outage)


def join_uplink(pattern: Pattern, other: Pattern, outage: Outage | None = None) -> Pattern:
    """Return the downlink of one pattern with the uplink of another.

    The result is as long as ``pattern`` and has its ``end``. A longer ``other`` is cut off; a shorter one goes on as
    its own ``end`` says. Effects on single packets come with their direction.

    Parameters
    ----------
    pattern, other
        Where downlink and uplink come from.
    outage
        Treatment of packets in outages, needed only where both patterns have outages and differ in it.

    Raises
    ------
    InputError
        If outages differ, or the result has too many steps or one of less than 1 us.
    """
    edges, theirs = edges_ns(pattern), edges_ns(other)
    uplink_edges, uplink = _continued(theirs, other, int(edges[-1]))
    new = np.unique(np.concatenate([edges, uplink_edges[uplink_edges < edges[-1]]]))
    sources = (
        replace(pattern, uplink=pattern.downlink),
        replace(other, downlink=other.uplink),
    )
    packets = tuple(event for event in pattern.packets if event.direction == "downlink")
    packets += tuple(event for event in other.packets if event.direction == "uplink")
    both = rebuilt(
        pattern,
        new,
        pick(pattern.downlink, at(edges, new[:-1])),
        pick(uplink, at(uplink_edges, new[:-1])),
        outage=outage or _common_outage(sources),
        packets=packets,
    )
    return noted(both, "join-uplink", sha256=content_hash(other), outage=outage)


def _continued(edges: Nanoseconds, pattern: Pattern, length_ns: int) -> tuple[Nanoseconds, Direction]:
    """Return the edges and settings of a pattern's uplink up to ``length_ns`` or beyond, as a replay would go on."""
    if edges[-1] >= length_ns:
        return edges, pattern.uplink
    if pattern.end == "loop":
        passes = -(-length_ns // int(edges[-1]))
        check_extent(len(pattern.time_s) * passes, 0)
        starts = (edges[:-1] + np.arange(passes, dtype=np.int64)[:, None] * edges[-1]).ravel()
        index = np.tile(np.arange(len(pattern.time_s)), passes)
        return np.append(starts, passes * edges[-1]), pick(pattern.uplink, index)
    last = pick(pattern.uplink, np.array([-1]))
    if pattern.end == "stop":
        last = replace(last, rate_bps=np.zeros(1))
    return np.append(edges, length_ns), joined([pattern.uplink, last])


def _common_outage(patterns: Sequence[Pattern]) -> Outage:
    """Return the treatment of packets that all patterns with outages share; without any, that of the first."""
    rules = {one.outage for one in patterns if not (one.downlink.rate_bps.all() and one.uplink.rate_bps.all())}
    if len(rules) > 1:
        raise InputError("outage", "is hold in one pattern and drop in another; say which the result has")
    return rules.pop() if rules else patterns[0].outage


def content_hash(pattern: Pattern) -> str:
    """Return the SHA-256 of the file that mmwemu writes of a pattern."""
    return hashlib.sha256(native.dumps(pattern).encode()).hexdigest()
