"""BOLA: choice of quality by buffer level (Spiteri, Urgaonkar, Sitaraman 2016, arXiv:1601.06748).

Two additions come from dash.js: the variant BOLA-O, which does not switch up beyond the sustainable throughput, and the
placeholder, seconds that count as buffered although they are not.
"""

from __future__ import annotations

import math

from mmwemu.apps.stream.headless.throughput import best_within

_MINIMUM_S = 10.0
_PER_QUALITY_S = 2.0
_DECAY = 0.99


class Bola:
    """State of the rule for one track.

    Parameters
    ----------
    rates_bps
        Rates of the qualities, rising.
    target_s
        Target of the buffer level.
    """

    def __init__(self, rates_bps: tuple[int, ...], target_s: float) -> None:
        self._rates = rates_bps
        self._utility = [math.log(rate / rates_bps[0]) + 1 for rate in rates_bps]
        span_s = max(target_s, _MINIMUM_S + _PER_QUALITY_S * len(rates_bps))
        # The lowest quality is worth loading up to 10 s of buffer, the highest up to the span; names are the paper's.
        self._gp = (self._utility[-1] - 1) / (span_s / _MINIMUM_S - 1)
        self._vp = _MINIMUM_S / self._gp if self._gp else 0.0
        self._begun = False
        self._steady = False
        self._current = 0
        self._placeholder_s = 0.0
        self._last_segment_s: float | None = None
        self._ended_s: float | None = None
        self._called_s: float | None = None
        self._furthest = -1

    def choose(self, now_s: float, buffer_s: float, safe_bps: float) -> tuple[int | None, float]:
        """Return the quality to load next, or None for no opinion, and the wait before the request, s."""
        self._begun = True
        if len(self._rates) == 1 or math.isnan(safe_bps):
            return None, 0.0
        sustainable = best_within(self._rates, safe_bps)
        if not self._steady:
            self._current = sustainable
            self._placeholder_s = max(0.0, self._least_s(sustainable) - buffer_s)
            self._steady = self._last_segment_s is not None and buffer_s >= self._last_segment_s
            return sustainable, 0.0
        self._pass_time(now_s)
        quality = self._best(buffer_s + self._placeholder_s)
        if quality > self._current and quality > sustainable:
            quality = max(sustainable, self._current)
        # To keep the buffer from filling with a low quality, use up the placeholder first, then wait.
        wait_s = max(0.0, buffer_s + self._placeholder_s - self._most_s(quality))
        taken_s = min(wait_s, self._placeholder_s)
        self._placeholder_s -= taken_s
        wait_s -= taken_s
        self._current = quality
        return quality, 0.0 if quality == len(self._rates) - 1 else wait_s

    def loaded(
        self, segment: int, segment_s: float, quality: int, requested_s: float, ended_s: float, buffer_s: float
    ) -> None:
        """Record a received segment before it is in the buffer."""
        if not self._begun:
            return
        replaced = segment <= self._furthest
        self._furthest = max(self._furthest, segment)
        self._current = quality
        self._last_segment_s = segment_s
        self._ended_s = ended_s
        at_request_s = buffer_s + ended_s - requested_s
        most_s = max(0.0, self._most_s(quality) - at_request_s)
        self._placeholder_s = min(_DECAY * self._placeholder_s, most_s)
        if replaced:
            self._placeholder_s += segment_s

    def abandoned(self, quality: int, buffer_s: float) -> None:
        """Record a request abandoned in favour of ``quality``."""
        self._current = quality
        wanted_s = self._least_s(quality) if quality > 0 else _MINIMUM_S
        self._placeholder_s = min(self._placeholder_s, max(0.0, wanted_s - buffer_s))

    def emptied(self) -> None:
        """Reset the placeholder, because the buffer is empty."""
        if self._steady:
            self._placeholder_s = 0.0

    def _pass_time(self, now_s: float) -> None:
        """Add idle time, in which nothing was loaded and the rate was no limit, to the placeholder."""
        since_s = self._ended_s if self._ended_s is not None else self._called_s
        if since_s is not None:
            self._placeholder_s += max(0.0, now_s - since_s)
        self._called_s = now_s
        self._ended_s = None

    def _best(self, buffer_s: float) -> int:
        scores = [
            (self._vp * (utility - 1 + self._gp) - buffer_s) / rate
            for utility, rate in zip(self._utility, self._rates, strict=True)
        ]
        return max(range(len(scores)), key=lambda i: (scores[i], i))

    def _most_s(self, quality: int) -> float:
        """Return the level up to which to load a quality is better than to wait; one Vp above the paper's."""
        return self._vp * (self._utility[quality] + self._gp)

    def _least_s(self, quality: int) -> float:
        """Return a level at which a quality is better than all lower ones; one Vp above the paper's."""
        rate, utility = self._rates[quality], self._utility[quality]
        levels = [
            self._vp * (self._gp + (rate * self._utility[i] - self._rates[i] * utility) / (rate - self._rates[i]))
            for i in range(quality)
        ]
        return max(levels, default=0.0)
