"""The bandwidth-delay product of a link: mean rate of a direction times round trip without queues."""

from __future__ import annotations

import numpy as np

from mmwemu.link.profile import MTU_BYTES
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern import measures
from mmwemu.pattern.model import DirectionName


def mean_rate_bps(settings: LinkSettings, direction: DirectionName = "downlink") -> float:
    """Return the mean rate of a direction over one pass, in a cell of all patterns, bit/s; inf if it is unlimited."""
    patterns = (settings.pattern, *settings.others)
    return float(np.mean([measures.mean_rate_bps(each, getattr(each, direction).rate_bps) for each in patterns]))


def round_trip_s(settings: LinkSettings) -> float:
    """Return twice the core delay and the mean access delay of both directions, s."""
    pattern = settings.pattern
    access_s = np.average(pattern.downlink.delay_s + pattern.uplink.delay_s, weights=measures.step_lengths_s(pattern))
    return 2 * settings.delay_s + float(access_s)


def packets(settings: LinkSettings) -> float:
    """Return the downlink's product in packets of `MTU_BYTES`; inf if its rate is unlimited."""
    return mean_rate_bps(settings) * round_trip_s(settings) / (8 * MTU_BYTES)
