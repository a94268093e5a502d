"""How long TCP's slow start takes: the model of Krasilov et al. 2019, section 2.

The congestion window doubles each round trip from W0 on, until it carries the rate of the bottleneck. The time counts
from the first byte sent; connection set-up, loss, queues and delayed ACKs are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Transfer:
    """A transfer of each size over a path; all [...], of one shape or that broadcast to one.

    Attributes
    ----------
    size_bytes
        Bytes to carry.
    rate_bps
        Rate of the bottleneck.
    rtt_s
        Round-trip time without queueing.
    initial_window_bytes
        W0.
    """

    size_bytes: ArrayLike
    rate_bps: ArrayLike
    rtt_s: ArrayLike
    initial_window_bytes: ArrayLike


def rounds(transfer: Transfer) -> Floats:
    """Return N_C = log2(C RTT / W0) [...], the round trips until the window carries the rate; at least 0."""
    _, rate, rtt, window = _arrays(transfer)
    return np.maximum(0.0, np.log2(rate * rtt / window))


def time_s(transfer: Transfer) -> Floats:
    """Return T(S) [...], s.

    tau(S) = (log2(S / W0 + 1) - 1) RTT up to S(N_C) = W0 (2^(N_C + 1) - 1), and N_C RTT + (S - S(N_C)) / C beyond. For
    sizes of about W0 and below, where tau is less than the rate allows, S / C.
    """
    size, rate, rtt, window = _arrays(transfer)
    n = rounds(transfer)
    limit = window * (2 ** (n + 1) - 1)
    ramp = (np.log2(size / window + 1) - 1) * rtt
    beyond = n * rtt + (size - limit) / rate
    return np.maximum(np.where(size <= limit, ramp, beyond), size / rate)


def efficiency(transfer: Transfer) -> Floats:
    """Return xi = S / T(S) / C [...], the share of the rate that the transfer uses: 0 to 1."""
    size, rate, _, _ = _arrays(transfer)
    return size / time_s(transfer) / rate


def _arrays(transfer: Transfer) -> tuple[Floats, Floats, Floats, Floats]:
    """Return size, bytes; rate, bytes/s; round trip, s; initial window, bytes."""
    size, rate, rtt, window = np.broadcast_arrays(
        *(
            np.asarray(one, dtype=np.float64)
            for one in (transfer.size_bytes, transfer.rate_bps, transfer.rtt_s, transfer.initial_window_bytes)
        )
    )
    return size, rate / 8, rtt, window
