"""Result of a playback; docs/formats/stream-result.md describes the players' JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mmwemu.apps.shared.answer import Answer, Status, read
from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1

# Columns of the tables: required ones, then those that may be null.
_SAMPLES = (("time_s", "position_s", "buffer_s", "received_bytes", "frames", "dropped_frames"),
            ("quality", "throughput_bps"))  # fmt: skip
_SEGMENTS = (("number", "start_s", "duration_s", "quality", "rate_bps", "bytes", "requested_s", "ended_s"),
             ("first_byte_s",))  # fmt: skip
_EVENTS: tuple[tuple[str, ...], tuple[str, ...]] = (("time_s",), ())
_OUTCOMES = ("ok", "abandoned", "failed", "open")
_TRACKS = ("video", "audio")


@dataclass(frozen=True, kw_only=True)
class Play:
    """A playback of a film; times are s since the player got the film, None if the point was not reached.

    Attributes
    ----------
    status, error
        ``ok``; ``timeout``: the film did not begin within the limit, which is a valid result; ``failed``, with the
        reason.
    duration_s
        Length of the playback.
    player
        Name and version of the player.
    startup_s
        Start-up delay.
    samples
        About every 100 ms: time_s, position_s (in the film), buffer_s (buffer level), received_bytes of segments,
        frames and dropped_frames so far, quality (of the next segment) and throughput_bps (the player's estimate; both
        NaN if absent).
    segments
        Each request, in the order of their ends: track, number, start_s (in the film), duration_s, quality, rate_bps,
        bytes (received), requested_s, first_byte_s, ended_s, outcome (``ok``, ``abandoned``, ``failed``, or ``open``:
        unfinished at the end of the playback).
    events
        time_s, event, track: ``playing``, ``waiting``, ``buffer-empty``, ``buffer-loaded`` and so on.
    browser_cpu_s
        CPU time of the player's processes.
    machine_load
        Busy share of all cores, 0 to 1.
    """

    status: Status
    error: str
    duration_s: float
    player: str = ""
    startup_s: float | None = None
    samples: pd.DataFrame
    segments: pd.DataFrame
    events: pd.DataFrame
    browser_cpu_s: float | None = None
    machine_load: float | None = None


def failed(error: str, duration_s: float = 0.0) -> Play:
    """Return a failed playback without measurements."""
    samples, segments, events = _frame([], _SAMPLES), _segments([]), _events([])
    return Play(status="failed", error=error, duration_s=duration_s, samples=samples, segments=segments, events=events)


def interpret(text: str) -> Play:
    """Return the `Play` in a player's JSON.

    Raises
    ------
    InputError
        If it is not of `FORMAT`, or a field is missing or of a wrong type.
    """
    answer = read(text, "stream result", FORMAT)
    status, error = answer.status, answer.error
    if "samples" not in answer.values:
        # The player broke before the playback began.
        return failed(error or "the player measured nothing")
    cost = answer.table("cost")
    return Play(
        status=status,
        error=error,
        duration_s=answer.number("duration_s") or 0.0,
        player=" ".join(filter(None, (answer.text(name) for name in ("script", "player")))),
        startup_s=answer.number("startup_s"),
        samples=_frame(answer.rows("samples"), _SAMPLES),
        segments=_segments(answer.rows("segments")),
        events=_events(answer.rows("events")),
        browser_cpu_s=cost.number("browser_cpu_s"),
        machine_load=cost.number("machine_load"),
    )


def _segments(rows: Sequence[Answer]) -> pd.DataFrame:
    frame = _frame(rows, _SEGMENTS)
    for name, known in (("track", _TRACKS), ("outcome", _OUTCOMES)):
        frame[name] = [row.word(name, known) for row in rows]
    return frame.astype({"number": int, "quality": int, "track": object, "outcome": object})


def _events(rows: Sequence[Answer]) -> pd.DataFrame:
    frame = _frame(rows, _EVENTS)
    for name in ("event", "track"):
        frame[name] = [row.text(name) for row in rows]
    return frame.astype({"event": object, "track": object})


def _frame(rows: Sequence[Answer], columns: tuple[Sequence[str], Sequence[str]]) -> pd.DataFrame:
    """Return a table of numbers; the first group of columns is required, the second may be null."""
    import pandas as pd

    required, optional = columns
    table: dict[str, list[float]] = {}
    for name in (*required, *optional):
        values = [row.number(name) for row in rows]
        if name in required and None in values:
            raise InputError(f"stream result: {name}", "is missing or null; must be a number")
        table[name] = [math.nan if value is None else value for value in values]
    return pd.DataFrame(table, dtype=float)
