"""Player with one loader thread per track, and the record of its playback."""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from mmwemu.apps.stream.headless.fetch import Fetched, Pool
from mmwemu.apps.stream.headless.manifest import Kind, Track, parse
from mmwemu.apps.stream.headless.playback import Playback
from mmwemu.apps.stream.headless.rules import BUFFER_S, BUFFER_TOP_S, EMPTY_S, Loading, Rules, Situation

_SAMPLE_S = 0.1
_POLL_S = 0.5
_RETRY_S = 1.0
_RETRIES = 3
# Only segments at least this number of segments ahead are replaced by a better quality.
_REPLACE_AHEAD = 1.5


@dataclass(eq=False)
class Row:
    """Record of a request for a segment."""

    got: Fetched
    columns: dict[str, Any]

    def end(self, now_s: float) -> dict[str, Any]:
        """Return the row of a request that has ended, or ends now."""
        got = self.got
        return {
            **self.columns,
            "bytes": got.size_bytes,
            "requested_s": got.requested_s,
            "first_byte_s": got.first_byte_s,
            "ended_s": now_s if got.ended_s is None else got.ended_s,
            "outcome": got.outcome,
        }


class Player:
    """Plays a film without decoding it.

    Parameters
    ----------
    url
        Address of the manifest.
    abr
        See `Rules`.
    """

    def __init__(self, url: str, abr: str) -> None:
        self._url = url
        self._abr = abr
        self._begun = time.monotonic()
        self.pool = Pool(url, self.now)
        self._lock = threading.Lock()
        self._received_bytes = 0
        self._playback: Playback | None = None
        self._video: VideoLoader | None = None
        self._samples: list[dict[str, Any]] = []
        self._segments: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []
        self._open: list[Row] = []
        self._error = ""

    def now(self) -> float:
        """Return the time since the player got the film, s."""
        return time.monotonic() - self._begun

    def play(self, duration_s: float) -> dict[str, Any]:
        """Play the film and return the result without ``cost``, as docs/formats/stream-result.md describes it."""
        self._start(self._load)
        empty: dict[Kind, bool] = {}
        for i in range(1, round(duration_s / _SAMPLE_S) + 1):
            time.sleep(max(0.0, i * _SAMPLE_S - self.now()))
            self._sample(empty)
        startup_s = self._playback.startup_s if self._playback else None
        failed = bool(self._error)
        with self._lock:
            return {
                "status": "failed" if failed else "timeout" if startup_s is None else "ok",
                "error": self._error if failed else "the film did not begin" if startup_s is None else "",
                "player": f"headless, {self._abr}",
                "duration_s": self.now(),
                "startup_s": startup_s,
                "samples": self._samples,
                "segments": self._segments + [row.end(self.now()) for row in self._open],
                "events": self._events,
            }

    def received(self, size_bytes: int) -> None:
        """Count received bytes of segments."""
        with self._lock:
            self._received_bytes += size_bytes

    def open(self, row: Row) -> None:
        """Record the start of a request."""
        with self._lock:
            self._open.append(row)

    def close(self, row: Row) -> None:
        """Record the end of a request."""
        with self._lock:
            self._open.remove(row)
            self._segments.append(row.end(self.now()))

    def _start(self, act: Callable[[], None]) -> None:
        """Run ``act`` in a thread; an exception becomes the result of the playback."""

        def run() -> None:
            try:
                act()
            except Exception as error:
                self._error = f"the headless player broke: {error}"

        threading.Thread(target=run, daemon=True).start()

    def _load(self) -> None:
        """Fetch the manifest and start the loader of each track."""
        manifest = self.pool.get(urlsplit(self._url).path, keep=True)
        if manifest.outcome != "ok":
            self._error = "the manifest could not be fetched"
            return
        tracks = parse(manifest.body.decode(errors="replace"))
        playback = Playback(dict.fromkeys(tracks, 0.0))
        self._video = VideoLoader(self, playback, tracks["video"], self._abr)
        self._playback = playback
        loaders: list[Loader] = [self._video]
        if "audio" in tracks:
            loaders.append(AudioLoader(self, playback, tracks["audio"]))
        for loader in loaders:
            self._start(loader.run)

    def _sample(self, empty: dict[Kind, bool]) -> None:
        playback, video, now_s = self._playback, self._video, self.now()
        if playback is None or video is None:
            with self._lock:
                self._samples.append(_row(now_s, 0.0, 0.0, 0, None, None))
            return
        position_s = playback.advance(now_s)
        levels = {kind: playback.buffer_s(kind, now_s) for kind in list(playback.loaded_s)}
        for kind, level_s in levels.items():
            is_empty = level_s <= EMPTY_S
            if position_s > 0 and is_empty != empty.get(kind, False):
                name = "buffer-empty" if is_empty else "buffer-loaded"
                self._events.append({"time_s": now_s, "event": name, "track": kind})
                empty[kind] = is_empty
        video.rules.watch(levels["video"])
        estimate = video.rules.throughput.average_bps()
        with self._lock:
            row = _row(now_s, position_s, min(levels.values()), self._received_bytes, video.quality, estimate)
            self._samples.append(row)


def _row(
    now_s: float, position_s: float, buffer_s: float, received_bytes: int, quality: int | None, estimate: float | None
) -> dict[str, Any]:
    return {
        "time_s": now_s,
        "position_s": position_s,
        "buffer_s": buffer_s,
        "received_bytes": received_bytes,
        "quality": quality,
        "throughput_bps": estimate if estimate is not None and estimate == estimate else None,
        "frames": 0,
        "dropped_frames": 0,
    }


class Loader(ABC):
    """Loads one track, segment by segment, up to a buffer level."""

    def __init__(self, player: Player, playback: Playback, track: Track) -> None:
        self.player = player
        self.playback = playback
        self.track = track
        self.quality = 0
        self.next = 0
        self._inits: set[int] = set()

    def run(self) -> None:
        """Load until the end of the film or of this program."""
        self.begin()
        while self.next < self.track.segments:
            if not self.wants_more():
                time.sleep(_POLL_S)
                continue
            wait_s = self.choose()
            self._init()
            if wait_s > 0:
                time.sleep(wait_s)
            self._segment()

    def begin(self) -> None:
        """Choose the first quality."""
        self.quality = 0

    @abstractmethod
    def wants_more(self) -> bool:
        """Return whether to load the next segment now."""

    def choose(self) -> float:
        """Choose quality and segment, and return the wait before the request, s."""
        return 0.0

    def on_step(self, size_bytes: int, steps: tuple[tuple[float, int], ...]) -> bool:
        """Return whether to abandon the request."""
        return False

    @abstractmethod
    def segment_received(self, got: Fetched) -> None:
        """Record a received segment before it is in the buffer."""

    def buffer_s(self) -> float:
        """Return the buffer level, s."""
        return self.playback.buffer_s(self.track.kind, self.player.now())

    @property
    def segment_s(self) -> float:
        """Duration of a segment."""
        return self.track.representations[0].segment_s

    def _init(self) -> None:
        """Load the initialization segment of a quality, once."""
        path = self.track.representations[self.quality].init
        for _ in range(_RETRIES + 1):
            if self.quality in self._inits:
                return
            if self.player.pool.get(path).outcome == "ok":
                self._inits.add(self.quality)
            else:
                time.sleep(_RETRY_S)

    def _segment(self) -> None:
        """Load the next segment, with retries; after an abandoned request, the quality is chosen again."""
        number, quality = self.next, self.quality
        representation = self.track.representations[quality]
        for left in range(_RETRIES, -1, -1):
            got = Fetched(self.player.now())
            row = self._row(got, number, quality)
            self.player.pool.get(representation.path(number), self.player.received, self.on_step, got=got)
            self.player.close(row)
            if got.outcome == "abandoned":
                return
            if got.outcome == "ok":
                break
            if left:
                time.sleep(_RETRY_S)
        if got.outcome == "ok":
            self.segment_received(got)
            self.playback.append(self.track.kind, (number + 1) * self.segment_s, self.player.now())
            self.next = number + 1

    def _row(self, got: Fetched, number: int, quality: int) -> Row:
        row = Row(
            got,
            {
                "track": self.track.kind,
                "number": number,
                "start_s": number * self.segment_s,
                "duration_s": self.segment_s,
                "quality": quality,
                "rate_bps": self.track.representations[quality].rate_bps,
            },
        )
        self.player.open(row)
        return row


class AudioLoader(Loader):
    """Loads the sound, slightly further ahead than the video."""

    def wants_more(self) -> bool:
        """Return whether the sound is less far ahead than the video plus 1 s."""
        ahead_s = self.playback.buffer_s("video", self.player.now()) + 1
        return self.buffer_s() < max(ahead_s, self.segment_s)

    def segment_received(self, got: Fetched) -> None:
        """Ignore sound segments."""


class VideoLoader(Loader):
    """Loads the video in the quality that the rules choose."""

    def __init__(self, player: Player, playback: Playback, track: Track, abr: str) -> None:
        super().__init__(player, playback, track)
        rates_bps = tuple(one.rate_bps for one in track.representations)
        self.rules = Rules(rates_bps, self.segment_s, abr)
        self._loaded: dict[int, int] = {}
        self._check = False
        self._switched = False

    def begin(self) -> None:
        """Choose a first quality that nearly any link can carry."""
        self.quality = self.rules.initial()

    def wants_more(self) -> bool:
        """Return whether less than 18 s are buffered, or 30 s in the highest quality."""
        top = self.quality == len(self.track.representations) - 1
        return self.buffer_s() + self.segment_s < (BUFFER_TOP_S if top else BUFFER_S)

    def choose(self) -> float:
        """Apply the rules after each segment; a switch up may replace buffered segments of lower quality."""
        if not self._check:
            return 0.0
        at = self._situation()
        quality, wait_s = self.rules.choose(at)
        if quality != self.quality:
            self._switch(quality, at)
            return 0.0
        return wait_s

    def on_step(self, size_bytes: int, steps: tuple[tuple[float, int], ...]) -> bool:
        """Return whether the rules abandon the request as too slow."""
        better = self.rules.abandon(self.next, Loading(size_bytes, steps), self._situation())
        if better is None:
            return False
        self.quality = better
        self._check = False
        return True

    def segment_received(self, got: Fetched) -> None:
        """Update the throughput estimate and the rules."""
        if got.first_byte_s is not None and got.ended_s is not None:
            self.rules.throughput.add(got.size_bytes, got.ended_s - got.first_byte_s)
        self.rules.loaded(self.next, self.quality, got.requested_s, self._situation())
        self._loaded[self.next] = self.quality
        self._check = True

    def _switch(self, quality: int, at: Situation) -> None:
        ahead_s = _REPLACE_AHEAD * self.segment_s
        again = int((self.playback.position_s + ahead_s) / self.segment_s)
        lower = self._loaded.get(again, quality) < quality
        if not self._switched and self._loaded.keys() == {0}:
            # As in dash.js 5.2.1, a switch after the first segment restarts from segment 0.
            self.next = 0
        elif quality > self.quality and lower and at.buffer_s >= ahead_s and self.rules.may_replace(at.now_s):
            self.next = again
        self.quality = quality
        self._switched = True

    def _situation(self) -> Situation:
        return Situation(self.player.now(), self.buffer_s(), self.quality)


def leave() -> None:
    """Exit at once, even while requests are open."""
    os._exit(0)
