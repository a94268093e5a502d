"""Settings of tbf, the token bucket filter, for the rates of a pattern; arithmetic only."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mmwemu.core.units import NS_PER_S
from mmwemu.link.profile import MTU_BYTES
from mmwemu.pattern.model import Pattern

UNLIMITED_BPS = 32e9  # the kernel's field for bytes a second has 32 bits
_BUCKET_S = 0.0005
_LEAST_BUCKET_BYTES = MTU_BYTES + 100
_BYTE_BITS = 8
# A held tbf counts every packet as the largest there is and has room for one of MTU only, so that nothing fits. It
# looks again whenever its bucket would have filled for such a packet, here each 0.25 ms, so that it goes on soon.
_HELD_RATE_BYTES_PS = 256_000_000
_HELD_PACKET_BYTES = 65_535
_TICK_NS = 64


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
    """Return the size of the bucket for a rate: half a millisecond of it, and at least one packet, bytes."""
    return max(_LEAST_BUCKET_BYTES, math.ceil(min(rate_bps, UNLIMITED_BPS) / _BYTE_BITS * _BUCKET_S))


def shape(rate_bps: float, queue_bytes: int) -> Tbf:
    """Return the tbf for a rate above 0."""
    rate_bytes_ps = max(1, round(min(rate_bps, UNLIMITED_BPS) / _BYTE_BITS))
    return Tbf(rate_bytes_ps, bucket_bytes(rate_bps), queue_bytes)


def hold(queue_bytes: int) -> Tbf:
    """Return the tbf that queues packets and lets none pass; unlike a low rate, setting it releases no bucket."""
    ticks = math.ceil((MTU_BYTES + 100) * NS_PER_S / _HELD_RATE_BYTES_PS / _TICK_NS)
    return Tbf(_HELD_RATE_BYTES_PS, 0, queue_bytes, ticks, _HELD_PACKET_BYTES)


def lose(queue_bytes: int) -> Tbf:
    """Return the tbf that keeps its queue and drops every arriving packet, as larger than its bucket."""
    return Tbf(_HELD_RATE_BYTES_PS, 0, queue_bytes, 1, _HELD_PACKET_BYTES)


def most_finite_bps(pattern: Pattern) -> float:
    """Return the highest finite rate of a pattern, bit/s; 0 if there is none."""
    rates_bps = np.concatenate((pattern.downlink.rate_bps, pattern.uplink.rate_bps))
    return float(rates_bps[np.isfinite(rates_bps)].max(initial=0.0))
