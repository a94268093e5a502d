"""How a pattern becomes settings of tbf, and what it needs of netem; arithmetic only.

Modes: ``tbf`` takes the rate from a token bucket under netem, which only delays and loses; ``netem-rate`` takes all
from one netem with its own limit of 1000 packets, as studies often do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.link import queue
from mmwemu.link.settings import MTU_BYTES, LinkSettings, TcMode
from mmwemu.pattern.model import OPTIONAL, Pattern

UNLIMITED_BPS = 32e9  # the kernel's field for bytes a second has 32 bits
COSTS: dict[TcMode, str] = {
    "netem-rate": "packets that wait keep the times of the rate before a step; the limit of 1000 packets, whatever"
    " --queue-bytes says, holds what is delayed too; a fall of the delay may reorder packets",
}

_BUCKET_S = 0.0005
_LEAST_BUCKET_BYTES = MTU_BYTES + 100
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
    return Tbf(_HELD_RATE_BYTES_PS, 0, queue_bytes, 1, _HELD_PACKET_BYTES)


def most_finite_bps(pattern: Pattern) -> float:
    """Give the highest rate of a pattern that is a limit, bit/s; 0 if there is none."""
    rates_bps = np.concatenate((pattern.downlink.rate_bps, pattern.uplink.rate_bps))
    return float(rates_bps[np.isfinite(rates_bps)].max(initial=0.0))


def queue_bytes(settings: LinkSettings) -> tuple[int, int]:
    """Give the size of the queue of each direction, bytes."""
    downlink, uplink = (queue.limit(settings, d) for d in (settings.pattern.downlink, settings.pattern.uplink))
    return downlink.size_bytes, uplink.size_bytes


def refuse(settings: LinkSettings, mode: TcMode) -> None:
    """Refuse what tbf and netem cannot do, on any kernel.

    Raises
    ------
    InputError
        It names the first such thing.
    """
    pattern = settings.pattern
    cannot = {
        "tell packets by number": bool(pattern.packets),
        f"drop as {settings.aqm} does, its queue is drop-tail": settings.aqm != "drop-tail",
        "release packets in slots": settings.slot_s > 0,
        "let clients take turns": settings.scheduler != "fifo",
        "count its queue in packets, only in bytes or time": settings.queue_packets is not None,
    }
    for what, asked in cannot.items():
        if asked:
            raise InputError("backend tc", f"cannot {what}; use --backend tun")
    queue_bytes(settings)
    has_outage = 0 in pattern.downlink.rate_bps or 0 in pattern.uplink.rate_bps
    if mode == "netem-rate" and pattern.outage == "hold" and has_outage:
        problem = "netem alone cannot hold packets in an outage; use --tc-mode tbf, or a pattern with outage = drop"
        raise InputError("tc-mode netem-rate", problem)


def needs_netem(settings: LinkSettings, mode: TcMode) -> str:
    """Say for what a replay needs netem; empty if it does not."""
    if mode == "netem-rate":
        return "the rate"
    if settings.delay_s > 0:
        return f"a delay of {settings.delay_s * 1e3:g} ms"
    directions = (settings.pattern.downlink, settings.pattern.uplink)
    for name in OPTIONAL:
        if any((getattr(direction, name) > 0).any() for direction in directions):
            return f"the pattern's {name.removesuffix('_s').replace('_', ' ')}"
    return ""
