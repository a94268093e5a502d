"""What one play of a film came to; the players' JSON is described in docs/formats/stream-result.md."""

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

# Columns of the tables, those that may be null in the second place.
_SAMPLES = (("time_s", "position_s", "buffer_s", "received_bytes", "frames", "dropped_frames"),
            ("quality", "throughput_bps"))  # fmt: skip
_SEGMENTS = (("number", "start_s", "duration_s", "quality", "rate_bps", "bytes", "requested_s", "ended_s"),
             ("first_byte_s",))  # fmt: skip
_EVENTS: tuple[tuple[str, ...], tuple[str, ...]] = (("time_s",), ())
_OUTCOMES = ("ok", "abandoned", "failed", "open")
_TRACKS = ("video", "audio")


@dataclass(frozen=True, kw_only=True)
class Play:
    """One play of a film. Times are s since the player was given the film, None where a point was not reached.

    Attributes
    ----------
    status, error
        ``ok``; ``timeout``: the film did not begin within the time, a result like any other; ``failed``, with the
        reason.
    duration_s
        How long it was watched.
    player
        Name and version.
    startup_s
        When the film began to play.
    samples
        About each 100 ms: time_s, position_s (in the film), buffer_s (what is loaded ahead of the position),
        received_bytes of segments so far, frames and dropped_frames so far, quality (the one to load next) and
        throughput_bps (the player's estimate; both NaN where there is none).
    segments
        Each request, in the order they ended: track, number, start_s (in the film), duration_s, quality, rate_bps,
        bytes (that came), requested_s, first_byte_s, ended_s, outcome (``ok``, ``abandoned``, ``failed``, or ``open``:
        under way when the time was over).
    events
        time_s, event, track: ``playing``, ``waiting``, ``buffer-empty``, ``buffer-loaded`` and so on.
    browser_cpu_s
        CPU time of the player's processes.
    machine_load
        Share of all cores that was busy, 0 to 1.
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
    """Give a play that measured nothing."""
    samples, segments, events = _frame([], _SAMPLES), _segments([]), _events([])
    return Play(status="failed", error=error, duration_s=duration_s, samples=samples, segments=segments, events=events)


def interpret(text: str) -> Play:
    """Check a player's JSON and turn it into a `Play`.

    Raises
    ------
    InputError
        If it is not of `FORMAT`, or a field is missing or of another kind.
    """
    answer = read(text, "stream result", FORMAT)
    status, error = answer.status, answer.error
    if "samples" not in answer.values:
        # The player broke before there was anything to measure.
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
    """Give a table of numbers; those of the first columns must be there, the others may be null."""
    import pandas as pd

    required, optional = columns
    table: dict[str, list[float]] = {}
    for name in (*required, *optional):
        values = [row.number(name) for row in rows]
        if name in required and None in values:
            raise InputError(f"stream result: {name}", "is missing or null; must be a number")
        table[name] = [math.nan if value is None else value for value in values]
    return pd.DataFrame(table, dtype=float)
