"""Choice of quality: the rules of dash.js and their combination."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from mmwemu.apps.stream.headless.bola import Bola
from mmwemu.apps.stream.headless.throughput import Throughput, best_within

BUFFER_S = 18.0
BUFFER_TOP_S = 30.0
EMPTY_S = 0.3
"""A buffer with at most this level is empty."""

_INITIAL_BPS = 1e6
_HYBRID_S = 12.0
_INSUFFICIENT_SAFETY = 0.7
_INSUFFICIENT_IGNORED = 2
_HISTORY = 8
_HISTORY_DROPS = 0.075
_ABANDON_SAMPLES = 6
_ABANDON_AFTER_S = 0.5
_ABANDON_RATIO = 1.8
_ABANDON_PAUSE_S = 10.0


@dataclass(frozen=True)
class Situation:
    """Input of a choice: current time [s], buffer level of the track [s], current quality."""

    now_s: float
    buffer_s: float
    quality: int


class Rules:
    """All rules of one track; the lowest quality that any of them requests is chosen.

    Parameters
    ----------
    rates_bps
        Rates of the qualities, rising.
    segment_s
        Duration of a segment.
    abr
        ``throughput``, ``bola`` or ``dynamic``: throughput until 12 s are buffered, and again below 6 s.
    """

    def __init__(self, rates_bps: tuple[int, ...], segment_s: float, abr: str) -> None:
        self.throughput = Throughput()
        self._rates = rates_bps
        self._segment_s = segment_s
        self._abr = abr
        self._bola = Bola(rates_bps, BUFFER_S)
        self._use_bola = abr == "bola"
        self._appended = 0
        self._history: deque[tuple[int, bool]] = deque(maxlen=_HISTORY)
        self._given_up: set[int] = set()
        self._paused_until_s = -math.inf

    def initial(self) -> int:
        """Return the initial quality."""
        return best_within(self._rates, _INITIAL_BPS)

    def watch(self, buffer_s: float) -> None:
        """Update the rules with the buffer level."""
        if self._abr == "dynamic":
            self._use_bola = buffer_s >= (_HYBRID_S / 2 if self._use_bola else _HYBRID_S)
        if buffer_s <= EMPTY_S:
            self._bola.emptied()

    def choose(self, at: Situation) -> tuple[int, float]:
        """Return the quality to load next, and the wait before the request, s."""
        wait_s = 0.0
        wanted: list[int | None] = []
        if self._use_bola:
            quality, wait_s = self._bola.choose(at.now_s, at.buffer_s, self.throughput.safe_bps())
            wanted.append(quality)
        else:
            wanted.append(self._by_throughput(at))
        wanted += [self._by_buffer(at), self._by_history()]
        chosen = min((quality for quality in wanted if quality is not None), default=None)
        if chosen is None:
            return at.quality, wait_s
        self._history.append((at.quality, chosen < at.quality))
        if chosen > at.quality and at.now_s < self._paused_until_s:
            chosen = at.quality
        return chosen, wait_s

    def may_replace(self, now_s: float) -> bool:
        """Return whether buffered segments may be replaced by a better quality."""
        return now_s >= self._paused_until_s

    def loaded(self, segment: int, quality: int, requested_s: float, at: Situation) -> None:
        """Record a received segment before it is in the buffer."""
        self._bola.loaded(segment, self._segment_s, quality, requested_s, at.now_s, at.buffer_s)
        self._appended += 1

    def abandon(self, segment: int, loading: Loading, at: Situation) -> int | None:
        """Return the lower quality for which to abandon a request, or None to continue."""
        steps = loading.steps
        if segment in self._given_up or at.quality == 0 or at.buffer_s > BUFFER_S:
            return None
        if len(steps) < _ABANDON_SAMPLES or at.now_s - steps[0][0] <= _ABANDON_AFTER_S:
            return None
        # The first step includes the round trip.
        (first_s, first_bytes), (last_s, last_bytes) = steps[0], steps[-1]
        rate_bps = 8 * (last_bytes - first_bytes) / max(last_s - first_s, 0.001)
        if rate_bps <= 0 or loading.size_bytes * 8 / rate_bps < _ABANDON_RATIO * self._segment_s:
            return None
        better = best_within(self._rates, rate_bps)
        if loading.size_bytes - last_bytes <= loading.size_bytes * self._rates[better] / self._rates[at.quality]:
            return None
        self._given_up.add(segment)
        self._history.clear()
        self._paused_until_s = at.now_s + _ABANDON_PAUSE_S
        self._bola.abandoned(better, at.buffer_s)
        return better

    def _by_throughput(self, at: Situation) -> int | None:
        safe_bps = self.throughput.safe_bps()
        if math.isnan(safe_bps) or at.buffer_s <= EMPTY_S or at.now_s < self._paused_until_s:
            return None
        return best_within(self._rates, safe_bps)

    def _by_buffer(self, at: Situation) -> int | None:
        """Return the highest quality that arrives before the buffer is empty."""
        if self._appended < _INSUFFICIENT_IGNORED:
            return None
        if at.buffer_s <= EMPTY_S:
            return 0
        limit_bps = _INSUFFICIENT_SAFETY * self.throughput.average_bps() * at.buffer_s / self._segment_s
        return best_within(self._rates, limit_bps) if limit_bps > 0 else None

    def _by_history(self) -> int | None:
        """Return a quality below one that was switched down from too often."""
        drops = kept = 0
        for quality in range(len(self._rates)):
            of_this = [dropped for at, dropped in self._history if at == quality]
            drops += sum(of_this)
            kept += len(of_this) - sum(of_this)
            if of_this and drops + kept >= _HISTORY and drops > _HISTORY_DROPS * kept:
                return quality - 1 if quality > 0 and any(of_this) else quality
        return None


@dataclass(frozen=True)
class Loading:
    """An open request: size of the segment, and steps of (time [s], bytes so far)."""

    size_bytes: int
    steps: tuple[tuple[float, int], ...]
