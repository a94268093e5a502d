"""Sizes of a link's queues in bytes or packets, whatever unit they were asked for in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.link.profile import MTU_BYTES, Aqm
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern import algebra
from mmwemu.pattern.model import DirectionName


@dataclass(frozen=True)
class Queue:
    """The queue of one direction; one of its two sizes is 0, which means no limit."""

    aqm: Aqm
    size_bytes: int
    size_packets: int


def resolve(settings: LinkSettings, direction: DirectionName) -> Queue:
    """Return the queue of one direction.

    Time and bandwidth-delay products become bytes by the mean rate over one pass of the pattern, at least one packet.
    The round trip is twice the core delay and the mean access delay of both directions.

    Raises
    ------
    InputError
        If the size depends on a rate that is unlimited.
    """
    if settings.queue_packets is not None:
        return Queue(settings.aqm, 0, settings.queue_packets)
    if settings.queue_s is None and settings.queue_bdp is None:
        return Queue(settings.aqm, settings.queue_bytes, 0)
    pattern = settings.pattern
    rate_bps = algebra.mean_rate_bps(pattern, getattr(pattern, direction).rate_bps)
    if not math.isfinite(rate_bps):
        name = "queue_s" if settings.queue_bdp is None else "queue_bdp"
        raise InputError(f"link: {name}", "needs a rate, and the pattern's is unlimited; give bytes or packets")
    if settings.queue_bdp is None:
        size_s = settings.queue_s or 0.0
    else:
        access_s = np.average(
            pattern.downlink.delay_s + pattern.uplink.delay_s, weights=algebra.step_lengths_s(pattern)
        )
        size_s = settings.queue_bdp * (2 * settings.delay_s + float(access_s))
    return Queue(settings.aqm, max(MTU_BYTES, round(rate_bps * size_s / 8)), 0)
