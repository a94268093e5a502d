"""Sizes of a link's queues in bytes or packets, whatever unit they were asked for in."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mmwemu.core.bounds import LARGEST_QUEUE_BYTES
from mmwemu.core.errors import InputError
from mmwemu.link import bdp
from mmwemu.link.profile import MTU_BYTES, SIZES, Aqm
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.model import DirectionName


@dataclass(frozen=True)
class Queue:
    """The queue of one direction; one of its two sizes is 0, which means no limit."""

    aqm: Aqm
    size_bytes: int
    size_packets: int


def resolve(settings: LinkSettings, direction: DirectionName) -> Queue:
    """Return the queue of one direction; the uplink's is that of the downlink unless it has a size or AQM of its own.

    Time and bandwidth-delay products become bytes by the mean rate over one pass of the pattern, in a cell of all
    patterns, at least one packet.
    The round trip is twice the core delay and the mean access delay of both directions.

    Raises
    ------
    InputError
        If the size depends on a rate that is unlimited.
    """
    own = direction == "uplink" and any(getattr(settings, f"uplink_{name}") is not None for name in SIZES)
    prefix = "uplink_" if own else ""
    size_bytes, size_packets, size_s, size_bdp = (getattr(settings, prefix + name) for name in SIZES)
    aqm = settings.uplink_aqm if direction == "uplink" and settings.uplink_aqm else settings.aqm
    if size_packets is not None:
        return Queue(aqm, 0, size_packets)
    if size_s is None and size_bdp is None:
        return Queue(aqm, size_bytes, 0)
    rate_bps = bdp.mean_rate_bps(settings, direction)
    if not math.isfinite(rate_bps):
        name = "queue_s" if size_bdp is None else "queue_bdp"
        raise InputError(f"link: {prefix}{name}", "needs a rate, and the pattern's is unlimited; give bytes or packets")
    if size_bdp is not None:
        size_s = size_bdp * bdp.round_trip_s(settings)
    # Beyond the largest queue there is no difference that a link could show.
    return Queue(aqm, min(max(MTU_BYTES, round(rate_bps * size_s / 8)), LARGEST_QUEUE_BYTES), 0)
