"""Outages and phases without line of sight, as a rate over time shows them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmwemu.pattern.model import Floats

OUTAGE_SHARE = 0.01
LEAST_OUTAGE_S = 0.05
NLOS_SHARE = 0.5
LONGEST_RECOVERY_S = 0.15
_LEVEL_QUANTILE = 0.9

Span = tuple[float, float]
"""Start and length, s."""


def level_bps(rate_bps: Floats) -> float:
    """Return the rate that a link has in line of sight: the 90 % quantile of its rates [n], bit/s."""
    return float(np.quantile(rate_bps, _LEVEL_QUANTILE)) if len(rate_bps) else 0.0


def outages(rate_bps: Floats, bin_s: float, level_bps: float) -> list[Span]:
    """Return each stretch of at least 50 ms in which every bin has less than 1 % of a level.

    Parameters
    ----------
    rate_bps
        Rate in each bin [n], bit/s.
    bin_s
        Width of a bin, s.
    level_bps
        The rate in line of sight, bit/s.
    """
    found = _spans(rate_bps < OUTAGE_SHARE * level_bps, bin_s)
    return [span for span in found if span[1] >= LEAST_OUTAGE_S * 0.999]


def nlos_phases(rate_bps: Floats, bin_s: float, level_bps: float) -> list[Span]:
    """Return each stretch in which bins have less than half of a level; recoveries of up to 150 ms do not end it."""
    below = rate_bps < NLOS_SHARE * level_bps
    for start_s, length_s in _spans(~below, bin_s):
        first, count = round(start_s / bin_s), round(length_s / bin_s)
        inside = first > 0 and first + count < len(below)
        if inside and length_s <= LONGEST_RECOVERY_S:
            below[first : first + count] = True
    return _spans(below, bin_s)


def _spans(wanted: NDArray[np.bool_], bin_s: float) -> list[Span]:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], wanted, [False])).astype(np.int8)))
    return [(first * bin_s, (end - first) * bin_s) for first, end in edges.reshape(-1, 2).tolist()]
