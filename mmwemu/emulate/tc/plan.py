"""How a pattern becomes settings of tbf and netem; arithmetic only.

Modes: ``tbf`` takes the rate from a token bucket under netem, which only delays and loses; ``netem-rate`` takes all
from one netem with its own limit of 1000 packets, as studies often do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.emulate.link import MTU_BYTES, LinkSettings, TcMode
from mmwemu.emulate.tc.timeline import Step
from mmwemu.pattern.model import Outage, Pattern

UNLIMITED_BPS = 32e9  # the kernel's field for bytes a second has 32 bits
STUDY_LIMIT_PACKETS = 1000  # netem's default
COSTS: dict[TcMode, str] = {
    "netem-rate": "packets that wait keep the times of the rate before a step; the limit of 1000 packets, whatever"
    " --queue-bytes says, holds what is delayed too; a fall of the delay may reorder packets",
}

_FAST_BPS = 1e9
_BUCKET_S = 0.0005
_LEAST_BUCKET_BYTES = MTU_BYTES + 100
_LEAST_PACKET_BYTES = 64
_BYTE_BITS = 8
# A held tbf counts every packet as the largest there is and has room for one of MTU only, so that nothing fits. It
# looks again whenever its bucket would have filled for such a packet, here each 0.25 ms, so that it goes on soon.
_HELD_RATE_BYTES_PS = 256_000_000
_HELD_PACKET_BYTES = 65_535
_TICK_NS = 64
_NS_PER_S = 1e9


@dataclass(frozen=True)
class Tbf:
    """Settings of a tbf.

    Attributes
    ----------
    rate_bytes_ps
        Rate, bytes/s.
    burst_bytes
        Size of its bucket, bytes; a larger packet is dropped. 0: ``buffer_ticks`` says it.
    limit_bytes
        Size of its queue, bytes.
    buffer_ticks
        Time to fill the bucket in the kernel's ticks of 64 ns, where ``burst_bytes`` is 0.
    packet_bytes
        What a smaller packet counts as, bytes.
    """

    rate_bytes_ps: int
    burst_bytes: int
    limit_bytes: int
    buffer_ticks: int = 0
    packet_bytes: int = 0


@dataclass(frozen=True)
class Netem:
    """Settings of a netem: delay each way, s; loss, 0 to 1; limit in packets; rate in bytes/s, 0 for none."""

    delay_s: float
    loss: float
    limit_packets: int
    rate_bytes_ps: int = 0


def bucket_bytes(rate_bps: float) -> int:
    """Give the size of the bucket for a rate: half a millisecond of it, and at least one packet, bytes."""
    return max(_LEAST_BUCKET_BYTES, math.ceil(min(rate_bps, UNLIMITED_BPS) / _BYTE_BITS * _BUCKET_S))


def shape(rate_bps: float, queue_bytes: int) -> Tbf:
    """Give the tbf of a rate above 0."""
    rate_bytes_ps = max(1, round(min(rate_bps, UNLIMITED_BPS) / _BYTE_BITS))
    return Tbf(rate_bytes_ps, bucket_bytes(rate_bps), queue_bytes)


def hold(queue_bytes: int) -> Tbf:
    """Give the tbf that queues packets and lets none pass; unlike a low rate it gives none away when it is set."""
    ticks = math.ceil((MTU_BYTES + 100) * _NS_PER_S / _HELD_RATE_BYTES_PS / _TICK_NS)
    return Tbf(_HELD_RATE_BYTES_PS, 0, queue_bytes, ticks, _HELD_PACKET_BYTES)


def lose(queue_bytes: int) -> Tbf:
    """Give the tbf that keeps what it has and drops every packet that comes, as larger than its bucket."""
    return Tbf(_HELD_RATE_BYTES_PS, 1, queue_bytes)


def most_finite_bps(pattern: Pattern) -> float:
    """Give the highest rate of a pattern that is a limit, bit/s; 0 if there is none."""
    rates_bps = np.concatenate((pattern.downlink.rate_bps, pattern.uplink.rate_bps))
    return float(rates_bps[np.isfinite(rates_bps)].max(initial=0.0))


def limit_packets(settings: LinkSettings) -> int:
    """Give the limit of the netem above a tbf.

    It is not to be what drops: what a path of the pattern's highest rate has in delay and in the queue, all of it
    packets of the smallest size.
    """
    pattern = settings.pattern
    delay_s = settings.delay_s + max(pattern.downlink.delay_s.max(), pattern.uplink.delay_s.max())
    delayed_bytes = min(most_finite_bps(pattern) or _FAST_BPS, UNLIMITED_BPS) / _BYTE_BITS * delay_s
    packets = (float(delayed_bytes) + settings.queue_bytes) / _LEAST_PACKET_BYTES
    return max(STUDY_LIMIT_PACKETS, math.ceil(packets))


def netem_above(step: Step, settings: LinkSettings, limit: int) -> Netem:
    """Give the netem above a tbf: the core link's delay and the pattern's, and loss."""
    return Netem(settings.delay_s + step.delay_s, step.loss, limit)


def netem_alone(step: Step, settings: LinkSettings) -> Netem:
    """Give the netem of mode ``netem-rate``.

    To netem rate 0 means no limit, so that an outage is a loss of everything; see `refuse_held_outages`.
    """
    loss = 1.0 if step.rate_bps == 0 else step.loss
    rate_bytes_ps = 0 if step.rate_bps == 0 or math.isinf(step.rate_bps) else max(1, round(step.rate_bps / _BYTE_BITS))
    return Netem(settings.delay_s + step.delay_s, loss, STUDY_LIMIT_PACKETS, min(rate_bytes_ps, 2**32 - 1))


def refuse_held_outages(rates_bps: Sequence[float], outage: Outage) -> None:
    """Refuse what netem alone cannot do: hold packets in an outage.

    Raises
    ------
    InputError
        If a rate is 0 and the outage is to hold.
    """
    if outage == "hold" and 0 in rates_bps:
        problem = "netem alone cannot hold packets in an outage; use --tc-mode tbf, or a pattern with outage = drop"
        raise InputError("tc-mode netem-rate", problem)


def needs_netem(settings: LinkSettings, mode: TcMode) -> str:
    """Say for what a replay needs netem; empty if it does not."""
    directions = (settings.pattern.downlink, settings.pattern.uplink)
    if mode == "netem-rate":
        return "the rate"
    if settings.delay_s > 0:
        return f"a delay of {settings.delay_s * 1e3:g} ms"
    if any((direction.delay_s > 0).any() for direction in directions):
        return "the pattern's delay"
    return "the pattern's loss" if any((direction.loss > 0).any() for direction in directions) else ""
