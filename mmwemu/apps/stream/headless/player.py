"""Tracks that load themselves, and what is seen of them."""

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
# Loaded again in a better quality is only what begins so many segments ahead.
_REPLACE_AHEAD = 1.5


@dataclass(eq=False)
class Row:
    """A request for a segment as it is written down."""

    got: Fetched
    columns: dict[str, Any]

    def end(self, now_s: float) -> dict[str, Any]:
        """Give the row of a request that has ended, or is cut off now."""
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
        Of the manifest.
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
        """Give the time since the player was given the film, s."""
        return time.monotonic() - self._begun

    def play(self, duration_s: float) -> dict[str, Any]:
        """Play and give the result but for what it cost, as docs/formats/stream-result.md describes it."""
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
        """Count bytes of segments."""
        with self._lock:
            self._received_bytes += size_bytes

    def open(self, row: Row) -> None:
        """Write down a request that begins."""
        with self._lock:
            self._open.append(row)

    def close(self, row: Row) -> None:
        """Write down how a request ended."""
        with self._lock:
            self._open.remove(row)
            self._segments.append(row.end(self.now()))

    def _start(self, act: Callable[[], None]) -> None:
        """Let something run beside; should it break, that is the result."""

        def run() -> None:
            try:
                act()
            except Exception as error:
                self._error = f"the headless player broke: {error}"

        threading.Thread(target=run, daemon=True).start()

    def _load(self) -> None:
        """Get the manifest, and let each track load itself."""
        manifest = self.pool.get(urlsplit(self._url).path, keep=True)
        if manifest.outcome != "ok":
            self._error = "the manifest was not to be had"
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
    """Loads one track, segment by segment, as far ahead as it should."""

    def __init__(self, player: Player, playback: Playback, track: Track) -> None:
        self.player = player
        self.playback = playback
        self.track = track
        self.quality = 0
        self.next = 0
        self._inits: set[int] = set()

    def run(self) -> None:
        """Load until the end of the film, or of this program."""
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
        """Say whether to load now."""

    def choose(self) -> float:
        """Choose quality and segment, and give how long to wait before, s."""
        return 0.0

    def on_step(self, size_bytes: int, steps: tuple[tuple[float, int], ...]) -> bool:
        """Say whether to give the request up."""
        return False

    @abstractmethod
    def came(self, got: Fetched) -> None:
        """Take note of a segment before it is in the buffer."""

    def buffer_s(self) -> float:
        """Give what is loaded ahead, s."""
        return self.playback.buffer_s(self.track.kind, self.player.now())

    @property
    def segment_s(self) -> float:
        """Duration of a segment."""
        return self.track.representations[0].segment_s

    def _init(self) -> None:
        """Load what a quality begins with, once."""
        path = self.track.representations[self.quality].init
        for _ in range(_RETRIES + 1):
            if self.quality in self._inits:
                return
            if self.player.pool.get(path).outcome == "ok":
                self._inits.add(self.quality)
            else:
                time.sleep(_RETRY_S)

    def _segment(self) -> None:
        """Load the next segment, again after a failure; what was given up is chosen anew."""
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
            self.came(got)
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
    """Loads sound, a little further than the picture."""

    def wants_more(self) -> bool:
        """Compare with the picture."""
        ahead_s = self.playback.buffer_s("video", self.player.now()) + 1
        return self.buffer_s() < max(ahead_s, self.segment_s)

    def came(self, got: Fetched) -> None:
        """Learn nothing from sound."""


class VideoLoader(Loader):
    """Loads the picture in the quality that the rules choose."""

    def __init__(self, player: Player, playback: Playback, track: Track, abr: str) -> None:
        super().__init__(player, playback, track)
        rates_bps = tuple(one.rate_bps for one in track.representations)
        self.rules = Rules(rates_bps, self.segment_s, abr)
        self._loaded: dict[int, int] = {}
        self._check = False
        self._switched = False

    def begin(self) -> None:
        """Begin with what about any link bears."""
        self.quality = self.rules.initial()

    def wants_more(self) -> bool:
        """Load 18 s ahead, and 30 s in the highest quality."""
        top = self.quality == len(self.track.representations) - 1
        return self.buffer_s() + self.segment_s < (BUFFER_TOP_S if top else BUFFER_S)

    def choose(self) -> float:
        """Ask the rules after each segment; a switch up replaces what is loaded in a lower quality."""
        if not self._check:
            return 0.0
        at = self._situation()
        quality, wait_s = self.rules.choose(at)
        if quality != self.quality:
            self._switch(quality, at)
            return 0.0
        return wait_s

    def on_step(self, size_bytes: int, steps: tuple[tuple[float, int], ...]) -> bool:
        """Ask the rules whether the request takes too long."""
        better = self.rules.abandon(self.next, Loading(size_bytes, steps), self._situation())
        if better is None:
            return False
        self.quality = better
        self._check = False
        return True

    def came(self, got: Fetched) -> None:
        """Learn the throughput."""
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
            # So does dash.js 5.2.1: a switch after the first segment begins again.
            self.next = 0
        elif quality > self.quality and lower and at.buffer_s >= ahead_s and self.rules.may_replace(at.now_s):
            self.next = again
        self.quality = quality
        self._switched = True

    def _situation(self) -> Situation:
        return Situation(self.player.now(), self.buffer_s(), self.quality)


def leave() -> None:
    """End at once, whatever is still loading."""
    os._exit(0)
