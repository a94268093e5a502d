"""Settings of netem for the steps of a pattern; arithmetic only."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from mmwemu.link.profile import MTU_BYTES
from mmwemu.link.replay import Replay
from mmwemu.testbed.backends.tc.tbf import UNLIMITED_BPS, most_finite_bps
from mmwemu.testbed.backends.tc.timeline import Step

DEFAULT_LIMIT_PACKETS = 1000  # netem's default

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
        Delay, loss and the like of the step, with the core link's delay in ``delay_s``.
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


def limit_packets(replay: Replay) -> int:
    """Return the limit of the netem above a tbf.

    The limit must never drop: it holds delay and queue of a path of the pattern's highest rate, all of it in packets of
    the smallest size.
    """
    pattern = replay.pattern
    delay_s = replay.delay_s + max(float((d.delay_s + d.jitter_s).max()) for d in (pattern.downlink, pattern.uplink))
    delayed_bytes = min(most_finite_bps(pattern) or _FAST_BPS, UNLIMITED_BPS) / _BYTE_BITS * delay_s
    packets = (float(delayed_bytes) + max(replay.downlink.size_bytes, replay.uplink.size_bytes)) / _LEAST_PACKET_BYTES
    return max(DEFAULT_LIMIT_PACKETS, math.ceil(packets))


def netem_above(step: Step, replay: Replay, limit: int) -> Netem:
    """Return the netem above a tbf: the core link's delay and all of the pattern but its rate."""
    return Netem(_behind_core(step, replay), limit, _ORDERED_BYTES_PS)


def netem_alone(step: Step, replay: Replay) -> Netem:
    """Return the netem of mode ``netem-rate``.

    Rate 0 means no limit to netem, so an outage becomes a loss of everything; see `support.refuse`.
    """
    behind = _behind_core(step, replay)
    if step.rate_bps == 0:
        return Netem(replace(behind, loss=1.0, gilbert_p=0.0, gilbert_r=0.0), DEFAULT_LIMIT_PACKETS, 0)
    rate_bytes_ps = 0 if math.isinf(step.rate_bps) else max(1, round(step.rate_bps / _BYTE_BITS))
    return Netem(behind, DEFAULT_LIMIT_PACKETS, min(rate_bytes_ps, 2**32 - 1))


def _behind_core(step: Step, replay: Replay) -> Step:
    """Return a step without its rate, which is not netem's, and with the core link's delay."""
    return replace(step, rate_bps=0.0, delay_s=replay.delay_s + step.delay_s)
