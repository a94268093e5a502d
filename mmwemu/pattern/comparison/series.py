"""A rate over time in equal bins: of a pattern, of a trace, or of packets that came through a link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmwemu.core.bounds import MOST_BINS
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.model import DirectionName, Floats, Pattern
from mmwemu.trace.model import Trace

BIN_S = 0.010


@dataclass(frozen=True)
class Series:
    """What came, or could come, in bins of `BIN_S` from time 0 on.

    Attributes
    ----------
    name
        What it is, for people.
    rate_bps
        Mean rate in bits of IP packets [n], bit/s.
    delay_s
        Mean one-way delay of the bytes that came in the bin [n], s; NaN where none came, None where it is unknown.
    """

    name: str
    rate_bps: Floats
    delay_s: Floats | None = None

    def cut(self, first: int, end: int) -> Series:
        """Return the bins from ``first`` to before ``end``."""
        delay_s = None if self.delay_s is None else self.delay_s[first:end]
        return Series(self.name, self.rate_bps[first:end], delay_s)

    def wider(self, count: int) -> Series:
        """Return the means over each ``count`` bins, of which there is a whole number; delays weighted by bytes."""
        delay_s = None if self.delay_s is None else _mean_delays(self.delay_s, self.rate_bps, count)
        return Series(self.name, self.rate_bps.reshape(-1, count).mean(axis=1), delay_s)


def of_pattern(name: str, pattern: Pattern, direction: DirectionName, duration_s: float) -> Series:
    """Return what a direction of a pattern could carry from its start on, whatever follows its end.

    Raises
    ------
    InputError
        If a rate is unlimited, or the time too long.
    """
    count = bins(duration_s)
    edges_s: Floats = np.arange(count + 1, dtype=np.float64) * BIN_S
    sums = capacity_bytes(pattern, getattr(pattern, direction), edges_s)
    if np.isinf(sums).any():
        raise InputError(name, "has an unlimited rate, which compares with nothing; clip it first")
    return Series(name, sums * 8 / BIN_S)


def of_trace(name: str, trace: Trace) -> Series:
    """Return what came to the UE in a trace, with the headers that `mmwemu pattern build` adds, and its delay.

    Raises
    ------
    InputError
        If the trace has no throughput, no size of headers, or bins that do not fit into those of a series.
    """
    per_bin = round(BIN_S / trace.bin_s)
    if per_bin < 1 or abs(per_bin * trace.bin_s - BIN_S) > 1e-6 * BIN_S:
        problem = f"has bins of {digits(trace.bin_s)} s; a whole number of them must be {digits(BIN_S)} s"
        raise InputError(f"{name}: time_s", problem)
    if np.isnan(trace.throughput_bps).any():
        raise InputError(f"{name}: throughput_bps", "has rows without a value")
    missing = [key for key in ("payload_bytes", "header_bytes") if key not in trace.meta]
    if missing:
        raise InputError(name, f"does not say its {missing[0]}")
    payload_bytes, header_bytes = trace.meta["payload_bytes"], trace.meta["header_bytes"]
    used = len(trace.time_s) // per_bin * per_bin
    came = trace.throughput_bps[:used]
    rate_bps = came.reshape(-1, per_bin).mean(axis=1) * (payload_bytes + header_bytes) / payload_bytes
    return Series(name, rate_bps, _mean_delays(trace.delay_s[:used], came, per_bin))


def of_packets(name: str, arrival_s: Floats, delay_s: Floats, size_bytes: Floats, duration_s: float) -> Series:
    """Return what came in packets.

    Parameters
    ----------
    name
        What it is.
    arrival_s, delay_s, size_bytes
        Of each packet [n_packet]: when it came, s; how long it took, s; its size, bytes of IP packet.
    duration_s
        Packets that came later are left out, s.
    """
    count = bins(duration_s)
    edges_s = np.arange(count + 1) * BIN_S
    sums = np.histogram(arrival_s, edges_s, weights=size_bytes)[0]
    delays = np.histogram(arrival_s, edges_s, weights=size_bytes * delay_s)[0]
    return Series(name, sums * 8 / BIN_S, np.divide(delays, sums, out=np.full(count, np.nan), where=sums > 0))


def bins(duration_s: float) -> int:
    """Return how many whole bins a time has.

    Raises
    ------
    InputError
        If there would be too many.
    """
    count = int(duration_s / BIN_S + 1e-6)
    if count > MOST_BINS:
        raise InputError(
            "comparison", f"lasts {digits(duration_s)} s; at most {digits(MOST_BINS * BIN_S)} s can be compared"
        )
    return count


def _mean_delays(delay_s: Floats, rate_bps: Floats, count: int) -> Floats:
    """Return the mean delay of the bytes of each ``count`` bins [n / count], s; NaN where none came."""
    weights = np.where(np.isnan(delay_s), 0.0, rate_bps).reshape(-1, count)
    total = (np.nan_to_num(delay_s).reshape(-1, count) * weights).sum(axis=1)
    sums = weights.sum(axis=1)
    means: Floats = np.divide(total, sums, out=np.full(len(sums), np.nan), where=sums > 0)
    return means
