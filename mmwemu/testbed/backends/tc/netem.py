"""How a pattern becomes settings of netem; arithmetic only."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from mmwemu.link.settings import MTU_BYTES, LinkSettings
from mmwemu.testbed.backends.tc.tbf import UNLIMITED_BPS, most_finite_bps, queue_bytes
from mmwemu.testbed.backends.tc.timeline import Step

STUDY_LIMIT_PACKETS = 1000  # netem's default

_FAST_BPS = 1e9
_LEAST_PACKET_BYTES = 64
_BYTE_BITS = 8
_ORDERED_BYTES_PS = round(UNLIMITED_BPS / _BYTE_BITS)


@dataclass(frozen=True)
class Netem:
    """Settings of a netem.

    Attributes
    ----------
    step
        What befalls packets but for the rate, with the core link's delay in ``delay_s``.
    limit_packets
        Packets it holds, delayed ones too.
    rate_bytes_ps
        Rate, bytes/s; 0 for none. With a rate, however high, packets keep their order when the delay falls.
    """

    step: Step
    limit_packets: int
    rate_bytes_ps: int

    @property
    def corruption(self) -> float:
        """Probability that a packet gets a wrong bit, netem's ``corrupt``: that of a packet of MTU, 0 to 1."""
        return (
            -math.expm1(_BYTE_BITS * MTU_BYTES * math.log1p(-self.step.bit_error)) if self.step.bit_error < 1 else 1.0
        )


def limit_packets(settings: LinkSettings) -> int:
    """Give the limit of the netem above a tbf.

    It is not to be what drops: what a path of the pattern's highest rate has in delay and in the queue, all of it
    packets of the smallest size.
    """
    pattern = settings.pattern
    delay_s = settings.delay_s + max(float((d.delay_s + d.jitter_s).max()) for d in (pattern.downlink, pattern.uplink))
    delayed_bytes = min(most_finite_bps(pattern) or _FAST_BPS, UNLIMITED_BPS) / _BYTE_BITS * delay_s
    packets = (float(delayed_bytes) + max(queue_bytes(settings))) / _LEAST_PACKET_BYTES
    return max(STUDY_LIMIT_PACKETS, math.ceil(packets))


def netem_above(step: Step, settings: LinkSettings, limit: int) -> Netem:
    """Give the netem above a tbf: the core link's delay and all of the pattern but its rate."""
    return Netem(_behind_core(step, settings), limit, _ORDERED_BYTES_PS)


def netem_alone(step: Step, settings: LinkSettings) -> Netem:
    """Give the netem of mode ``netem-rate``.

    To netem rate 0 means no limit, so that an outage is a loss of everything; see `mmwemu.testbed.backends.tc.tbf.refuse`.
    """
    behind = _behind_core(step, settings)
    if step.rate_bps == 0:
        return Netem(replace(behind, loss=1.0, gilbert_p=0.0, gilbert_r=0.0), STUDY_LIMIT_PACKETS, 0)
    rate_bytes_ps = 0 if math.isinf(step.rate_bps) else max(1, round(step.rate_bps / _BYTE_BITS))
    return Netem(behind, STUDY_LIMIT_PACKETS, min(rate_bytes_ps, 2**32 - 1))


def _behind_core(step: Step, settings: LinkSettings) -> Step:
    """Give a step without its rate, which is not netem's, and with the core link's delay."""
    return replace(step, rate_bps=0.0, delay_s=settings.delay_s + step.delay_s)
