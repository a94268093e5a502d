"""Playback clock of a film, which stops at the end of the loaded part."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from mmwemu.apps.stream.headless.manifest import Kind


@dataclass
class Playback:
    """Position in a film, moved by `advance`; it stops while any track has no data.

    All methods take the time [s] since the player got the film, and may be called from any thread.

    Attributes
    ----------
    loaded_s
        End of the loaded part of each track, in the film.
    startup_s
        Time at which playback began.
    """

    loaded_s: dict[Kind, float]
    startup_s: float | None = None
    position_s: float = 0.0
    _now_s: float = 0.0
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def advance(self, now_s: float) -> float:
        """Play up to ``now_s`` and return the position."""
        with self._lock:
            step_s = max(0.0, now_s - self._now_s)
            self._now_s = max(now_s, self._now_s)
            if self.startup_s is not None:
                self.position_s = max(self.position_s, min(self.position_s + step_s, min(self.loaded_s.values())))
            return self.position_s

    def append(self, track: Kind, end_s: float, now_s: float) -> None:
        """Add a segment that ends at ``end_s``; a repeated one is harmless."""
        with self._lock:
            self.advance(now_s)
            self.loaded_s[track] = max(self.loaded_s[track], end_s)
            if self.startup_s is None and min(self.loaded_s.values()) > 0:
                self.startup_s = now_s

    def buffer_s(self, track: Kind, now_s: float) -> float:
        """Return the buffer level of a track, s."""
        with self._lock:
            return max(0.0, self.loaded_s[track] - self.advance(now_s))
