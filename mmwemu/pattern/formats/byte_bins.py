"""Bytes over time: packets counted in windows of equal length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import HIGHEST_RATE_BPS, MOST_STEPS
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.core.units import NS_PER_S
from mmwemu.pattern.model import Floats


class ByteBins:
    """Bytes in windows that begin at whole multiples of their length; packets may come in any order.

    Parameters
    ----------
    window_ns
        Length of a window, ns.
    """

    def __init__(self, window_ns: int) -> None:
        self.window_ns = window_ns
        self.first = 0
        self.size_bytes: Floats = np.zeros(0)

    @property
    def last(self) -> int:
        """Number of the last window."""
        return self.first + len(self.size_bytes) - 1

    def add(self, time_ns: NDArray[np.int64], size_bytes: Floats) -> None:
        """Count packets [n]: their times, ns, and sizes, bytes.

        Raises
        ------
        InputError
            If all packets so far are further apart than `MOST_STEPS` windows.
        """
        if not len(time_ns):
            return
        window = time_ns // self.window_ns
        low, high = int(window.min()), int(window.max())
        self.cover(low, high)
        counted = np.bincount(window - low, weights=size_bytes)
        self.size_bytes[low - self.first : high + 1 - self.first] += counted

    def cover(self, low: int, high: int) -> None:
        """Have windows from ``low`` to ``high`` at least; see `add`."""
        if len(self.size_bytes):
            low, high = min(low, self.first), max(high, self.last)
        n = high - low + 1
        if n > MOST_STEPS:
            span_s, window_s = n * self.window_ns / NS_PER_S, self.window_ns / NS_PER_S
            problem = f"spans {digits(span_s)} s, {n} windows of {digits(window_s)} s; must be at most {MOST_STEPS}"
            raise InputError("time", f"{problem}: choose longer windows")
        if n > len(self.size_bytes):
            # Twice as many as needed would be copied less often; the number is bounded, and chunks are large.
            grown = np.zeros(n)
            grown[self.first - low : self.first - low + len(self.size_bytes)] = self.size_bytes
            self.first, self.size_bytes = low, grown

    def rate_bps(self) -> Floats:
        """Return the rate of each window [n], bit/s.

        Raises
        ------
        InputError
            If a window has more bytes than the highest rate carries.
        """
        rate_bps: Floats = self.size_bytes * 8 / (self.window_ns / NS_PER_S)
        if rate_bps.max(initial=0.0) > HIGHEST_RATE_BPS:
            window = int(np.argmax(rate_bps))
            start_s = (self.first + window) * self.window_ns / NS_PER_S
            problem = f"add up to {digits(float(rate_bps[window]))} bit/s in the window from {digits(start_s)} s"
            raise InputError("sizes", f"{problem}; must be at most {digits(HIGHEST_RATE_BPS)}")
        return rate_bps
