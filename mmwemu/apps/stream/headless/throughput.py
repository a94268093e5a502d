"""Throughput estimate of the player."""

from __future__ import annotations

import math

_FAST_S, _SLOW_S = 3.0, 8.0
# Weight of one second of download, in seconds of half-life.
_WEIGHT = 1.5
_SAFETY = 0.9


class Throughput:
    """The lesser of two exponentially weighted means of segments' throughput, with half-lives of 3 s and 8 s."""

    def __init__(self) -> None:
        self._fast = 0.0
        self._slow = 0.0
        self._weight_s = 0.0

    def add(self, size_bytes: int, download_s: float) -> None:
        """Add a segment that was received in ``download_s`` from its first byte on."""
        if download_s <= 0:
            return
        value = 8 * size_bytes / download_s
        weight_s = _WEIGHT * download_s
        fast, slow = math.pow(0.5, weight_s / _FAST_S), math.pow(0.5, weight_s / _SLOW_S)
        self._fast = (1 - fast) * value + fast * self._fast
        self._slow = (1 - slow) * value + slow * self._slow
        self._weight_s += weight_s

    def average_bps(self) -> float:
        """Return the estimate, bit/s; NaN before the first segment."""
        if self._weight_s <= 0:
            return math.nan
        # This removes the bias of the initial value 0.
        fast = self._fast / (1 - math.pow(0.5, self._weight_s / _FAST_S))
        slow = self._slow / (1 - math.pow(0.5, self._weight_s / _SLOW_S))
        return min(fast, slow)

    def safe_bps(self) -> float:
        """Return the estimate with a safety margin, bit/s; NaN before the first segment."""
        return _SAFETY * self.average_bps()


def best_within(rates_bps: tuple[int, ...], limit_bps: float) -> int:
    """Return the highest quality with a rate of at most ``limit_bps``, or the lowest."""
    return max((i for i, rate in enumerate(rates_bps) if rate <= limit_bps), default=0)
