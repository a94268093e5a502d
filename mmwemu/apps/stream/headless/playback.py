"""The clock of a film that plays as far as it is loaded."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from mmwemu.apps.stream.headless.manifest import Kind


@dataclass
class Playback:
    """Position of a film, moved on by `advance`; it stands where a track has no more, and goes on when all have.

    All methods take the time [s] since the player was given the film, and may be called from any thread.

    Attributes
    ----------
    loaded_s
        How far each track is loaded, in the film.
    startup_s
        When it began to play.
    """

    loaded_s: dict[Kind, float]
    startup_s: float | None = None
    position_s: float = 0.0
    _now_s: float = 0.0
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def advance(self, now_s: float) -> float:
        """Play up to now and give the position."""
        with self._lock:
            step_s = max(0.0, now_s - self._now_s)
            self._now_s = max(now_s, self._now_s)
            if self.startup_s is not None:
                self.position_s = max(self.position_s, min(self.position_s + step_s, min(self.loaded_s.values())))
            return self.position_s

    def append(self, track: Kind, end_s: float, now_s: float) -> None:
        """Add a segment that ends at ``end_s``; one that is there already does no harm."""
        with self._lock:
            self.advance(now_s)
            self.loaded_s[track] = max(self.loaded_s[track], end_s)
            if self.startup_s is None and min(self.loaded_s.values()) > 0:
                self.startup_s = now_s

    def buffer_s(self, track: Kind, now_s: float) -> float:
        """Give how much of a track is loaded ahead."""
        with self._lock:
            return max(0.0, self.loaded_s[track] - self.advance(now_s))
