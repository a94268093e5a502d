"""How much TCP carries over a path that loses packets at random: the closed forms of Reno and of CUBIC.

Both are of a connection that never stops sending, in the steady state, whose losses are found by duplicate ACKs: no
timeouts, no limit by a window or by the rate of the path.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

RENO_CONSTANT = math.sqrt(3 / 2)
"""C of Mathis et al. 1997, table 1: losses at random, an ACK for each packet."""

CUBIC_BETA, CUBIC_C = 0.7, 0.4
"""RFC 9438, sections 4.1 and 4.6; C in packets/s^3."""


@dataclass(frozen=True)
class LossyPath:
    """A path and the packets on it; all [...], of one shape or that broadcast to one.

    Attributes
    ----------
    rtt_s
        Round-trip time without queueing.
    loss
        Probability that a packet is lost, above 0 to 1.
    mss_bytes
        Payload of a packet.
    """

    rtt_s: ArrayLike
    loss: ArrayLike
    mss_bytes: ArrayLike = 1448


def reno_bps(path: LossyPath) -> Floats:
    """Return MSS / RTT * C / sqrt(p) [...], bit/s of payload.

    Mathis, Semke, Mahdavi, Ott: The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, 1997, equation 3.
    """
    rtt_s, loss, mss_bytes = _arrays(path)
    return 8 * mss_bytes / rtt_s * RENO_CONSTANT / np.sqrt(loss)


def cubic_bps(path: LossyPath) -> Floats:
    """Return MSS / RTT * (C (3 + beta) / (4 (1 - beta)))^(1/4) * (RTT / p)^(3/4) [...], bit/s of payload.

    RFC 9438, section 5.1, equation 6; where that is less than `reno_bps`, CUBIC keeps to Reno's rate (section 4.3).
    """
    rtt_s, loss, mss_bytes = _arrays(path)
    constant: float = (CUBIC_C * (3 + CUBIC_BETA) / (4 * (1 - CUBIC_BETA))) ** 0.25
    window = constant * (rtt_s / loss) ** 0.75
    return np.maximum(8 * mss_bytes / rtt_s * window, reno_bps(path))


def _arrays(path: LossyPath) -> tuple[Floats, Floats, Floats]:
    rtt_s, loss, mss_bytes = np.broadcast_arrays(
        *(np.asarray(one, dtype=np.float64) for one in (path.rtt_s, path.loss, path.mss_bytes))
    )
    return rtt_s, loss, mss_bytes
