"""What happened in a cell over time, as single numbers."""

from __future__ import annotations

import numpy as np

from mmwemu.trace.model import Trace

_BEGINS_S, _BEGINS_BYTES = 0.01, 10_000
_WINDOW_S = 0.1
_FULL = 0.95


def full_rate_s(trace: Trace) -> float:
    """Return how long the source took to its full rate, s; NaN if it did not come to it.

    It begins with the first 10 ms that bring 10 kB, and ends with the first 100 ms that have 95 % of the median of all
    100 ms in line of sight, or of all where line of sight is not known.
    """
    arrived = np.concatenate([[0.0], np.cumsum(trace.throughput_bps) * trace.bin_s / 8])
    few, many = (max(1, round(span_s / trace.bin_s)) for span_s in (_BEGINS_S, _WINDOW_S))
    begun = np.flatnonzero(arrived[few:] - arrived[:-few] >= _BEGINS_BYTES)
    brought = arrived[many:] - arrived[:-many]
    free = trace.los[: len(brought)] == 1
    known = brought[free] if free.any() else brought
    if not len(begun) or not len(known):
        return float("nan")
    first = int(begun[0])
    full = np.flatnonzero(brought[first:] >= _FULL * np.median(known))
    return float((full[0] + many) * trace.bin_s) if len(full) else float("nan")


def repair_s(trace: Trace) -> float:
    """Return the time from the first segment that was sent again to the last one, s; 0 if there was none."""
    again = np.flatnonzero(trace.optional.get("retransmissions", np.zeros(1)) > 0)
    return float((again[-1] - again[0] + 1) * trace.bin_s) if len(again) else 0.0
