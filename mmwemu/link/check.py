"""The check whether a link did what its pattern says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mmwemu.link.profile import MTU_BYTES
from mmwemu.link.telemetry import BIN_S
from mmwemu.pattern.model import Floats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Tolerance:
    """The deviations that a valid link may have.

    Attributes
    ----------
    lateness_p99_s
        99 % of the bytes are delivered in bins in which no packet was later than this, s.
    standstill_s
        The link may stand still for this long, as during a suspension of the machine, s.
    capacity
        While packets wait, the delivered bytes may differ by this share from the capacity.
    excess_bytes
        In any stretch of time, this many bytes may be delivered beyond the integral of the rate.
    """

    lateness_p99_s: float = 0.005
    standstill_s: float = 0.5
    capacity: float = 0.02
    excess_bytes: float = 2 * MTU_BYTES


@dataclass(frozen=True)
class LinkCheck:
    """The result of a check.

    Attributes
    ----------
    valid
        All tolerances were kept.
    reasons
        One sentence for each tolerance that was not kept.
    delivered_ratio
        Delivered bytes (with those lost or damaged on purpose behind the queue) over capacity, in all bins whose queue
        was never empty; NaN without such a bin.
    excess_bytes
        The most bytes delivered in any stretch of time beyond the integral of the rate; 0 or more.
    lateness_p99_s, lateness_max_s
        Lateness of packets, s; the maximum includes standstills of the link; 0 without packets.
    device_drops
        Packets lost because the emulator did not read or could not write in time.
    """

    valid: bool
    reasons: tuple[str, ...]
    delivered_ratio: float
    excess_bytes: float
    lateness_p99_s: float
    lateness_max_s: float
    device_drops: int


def check(telemetry: pd.DataFrame, tolerance: Tolerance | None = None) -> LinkCheck:
    """Compare the telemetry of a link with its pattern.

    A late packet counts in the bin of its delivery, so a machine that delays the emulator shifts bytes to later bins.
    Lateness has a tolerance of its own, on its 99th percentile, so that one stall of a busy machine voids no run.
    The two comparisons with the integral allow for the shift that the measured lateness explains, and so find errors of
    the link, not of the machine.

    Parameters
    ----------
    telemetry
        Of one link, as from `mmwemu.testbed.link.Link.telemetry`.
    tolerance
        None for the defaults.
    """
    allowed = tolerance or Tolerance()
    served = capacity = slack = excess_bytes = 0.0
    for _, part in telemetry.groupby("direction"):
        ordered = part.sort_values("time_s")
        delivered = ordered["delivered_bytes"].to_numpy(np.float64)
        # NaN: not in the queue's way, by tc.
        lost = np.nan_to_num(ordered["dropped_loss_bytes"] + ordered["damaged_bytes"]).astype(np.float64)
        capacities = ordered["capacity_bytes"].to_numpy(np.float64)
        reach_s = _reach_s(ordered["lateness_s"].to_numpy(np.float64))
        sums = _backlogged(delivered + lost, capacities, reach_s, ordered["backlogged"].to_numpy(bool))
        served, capacity, slack = served + sums[0], capacity + sums[1], slack + sums[2]
        excess_bytes = max(excess_bytes, _excess_bytes(delivered, capacities, reach_s))
    ratio = served / capacity if capacity > 0 else math.nan
    late_s, weights = telemetry["lateness_s"].to_numpy(np.float64), telemetry["delivered_bytes"].to_numpy(np.float64)
    lateness_p99_s = _weighted_quantile(late_s, weights, 0.99)
    device_drops = int(telemetry["dropped_device_packets"].sum())

    reasons = []
    if lateness_p99_s > allowed.lateness_p99_s:
        reasons.append(
            f"1 % of the bytes came more than {lateness_p99_s * 1e3:.1f} ms late"
            f" ({allowed.lateness_p99_s * 1e3:g} ms are allowed): the machine was too busy"
        )
    if late_s.max(initial=0.0) > allowed.standstill_s:
        reasons.append(
            f"the link stood still for {late_s.max():.1f} s ({allowed.standstill_s:g} s are allowed):"
            " the machine or the link was stopped"
        )
    if capacity > 0 and abs(served - capacity) > allowed.capacity * capacity + slack:
        reasons.append(
            f"{ratio:.1%} of what the pattern allows came through while packets waited"
            f" ({allowed.capacity:.0%} off are allowed)"
        )
    if excess_bytes > allowed.excess_bytes:
        reasons.append(f"{excess_bytes:.0f} bytes more came through than the pattern allows")
    if device_drops > 0:
        reasons.append(f"{device_drops} packets were lost at the devices, not in the link")
    return LinkCheck(
        valid=not reasons,
        reasons=tuple(reasons),
        delivered_ratio=ratio,
        excess_bytes=excess_bytes,
        lateness_p99_s=lateness_p99_s,
        lateness_max_s=float(late_s.max(initial=0.0)),
        device_drops=device_drops,
    )


def combine(checks: Mapping[str, LinkCheck]) -> LinkCheck:
    """Return one check for several links, by name: valid if all are; ``delivered_ratio`` is that of the first."""
    first, *others = checks.values()
    if not others:
        return first
    return LinkCheck(
        valid=all(one.valid for one in checks.values()),
        reasons=tuple(f"{name}: {reason}" for name, one in checks.items() for reason in one.reasons),
        delivered_ratio=first.delivered_ratio,
        excess_bytes=max(one.excess_bytes for one in checks.values()),
        lateness_p99_s=max(one.lateness_p99_s for one in checks.values()),
        lateness_max_s=max(one.lateness_max_s for one in checks.values()),
        device_drops=sum(one.device_drops for one in checks.values()),
    )


def _reach_s(lateness_s: Floats) -> Floats:
    """Return how long before the start of each bin its packets, or later ones, may have been due, s."""
    reach_s = lateness_s.copy()
    for i in range(len(reach_s) - 2, -1, -1):
        reach_s[i] = max(reach_s[i], reach_s[i + 1] - BIN_S)
    return reach_s


def _backlogged(served: Floats, capacities: Floats, reach_s: Floats, backlogged: Floats) -> tuple[float, float, float]:
    """Sum up served bytes and capacity over backlogged bins, and the uncertainty at their ends, bytes."""
    inside = backlogged.astype(bool) & np.isfinite(capacities)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False])).astype(np.int8)))
    slack = 0.0
    for first, end in edges.reshape(-1, 2):
        share = min(1.0, reach_s[min(end, len(reach_s) - 1)] / BIN_S)
        slack += 2 * MTU_BYTES + share * float(capacities[first:end].max())
    return float(served[inside].sum()), float(capacities[inside].sum()), slack


def _excess_bytes(delivered: Floats, capacities: Floats, reach_s: Floats) -> float:
    """Return the most bytes that a stretch of bins delivered beyond its capacity and that of its lateness."""
    worst, running = 0.0, -math.inf
    sums = np.concatenate(([0.0], np.cumsum(np.where(np.isfinite(capacities), capacities, 0.0))))
    for i, capacity in enumerate(capacities):
        if not math.isfinite(capacity):
            running = -math.inf
            continue
        first = max(0, i - math.ceil(reach_s[i] / BIN_S))
        start = -math.inf if np.isinf(capacities[first:i]).any() else sums[first] - sums[i]
        running = max(running, start) + delivered[i] - capacity
        worst = max(worst, running)
    return worst


def _weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    total = weights.sum()
    if total <= 0:
        return 0.0
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) >= share * total
    return float(values[order][int(np.argmax(reached))])
