"""How large the queues of a link are, whatever unit they were asked for in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.link.settings import MTU_BYTES, LinkSettings
from mmwemu.pattern import algebra
from mmwemu.pattern.model import Direction


@dataclass(frozen=True)
class Limit:
    """Size of one direction's queue; one of the two is 0, no limit."""

    size_bytes: int
    packets: int


def limit(settings: LinkSettings, direction: Direction) -> Limit:
    """Give the size of the queue of one direction.

    Time and bandwidth-delay products become bytes by the mean rate over one pass of the pattern, at least one packet.
    The round trip is twice the core delay and the mean access delay of both directions.

    Raises
    ------
    InputError
        If the size depends on a rate that is unlimited.
    """
    if settings.queue_packets is not None:
        return Limit(0, settings.queue_packets)
    if settings.queue_s is None and settings.queue_bdp is None:
        return Limit(settings.queue_bytes, 0)
    pattern = settings.pattern
    rate_bps = algebra.mean_rate_bps(pattern, direction.rate_bps)
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
    return Limit(max(MTU_BYTES, round(rate_bps * size_s / 8)), 0)
