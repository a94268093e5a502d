"""What one load of a page came to; the runner's JSON is described in docs/formats/web-result.md."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from mmwemu.core.errors import InputError

FORMAT = 1
Status = Literal["ok", "timeout", "failed"]


@dataclass(frozen=True)
class Frame:
    """One screenshot: when, s since the navigation started, and its file's name."""

    time_s: float
    file: str


@dataclass(frozen=True, kw_only=True)
class Load:
    """One cold load. Times are s since the navigation started, None where a point was not reached or cannot be known.

    Attributes
    ----------
    status, error
        ``ok``; ``timeout``: not loaded within the limit, a result like any other; ``failed``, with the reason.
    duration_s
        Until the page was loaded, or the limit.
    browser
        Name and version.
    ttfb_s, first_paint_s, fcp_s, lcp_s
        Time to first byte; first paint; first and largest contentful paint.
    dom_interactive_s, dom_content_loaded_s, on_load_s
        The document is parsed (the study's "time to interactive"); deferred scripts have run; all is loaded.
    cls
        Cumulative layout shift, no unit.
    tbt_s
        Total blocking time: what long tasks take beyond 50 ms after first contentful paint.
    above_the_fold_s
        Last visual change of the screen.
    visual_85_s, visual_95_s, visual_99_s
        When the screen was so many per cent complete.
    speed_index_s, speed_index_check_s
        Speed Index by speedline; the same computed by mmwemu from the screenshots.
    visual_note
        Why there is no Speed Index, or what makes it doubtful.
    requests, failed_requests
        Requests made, and those that had no good answer.
    body_bytes, wire_bytes
        Bytes of the objects; with HTTP's headers.
    retransmissions, syn_retransmissions
        TCP segments that the client's kernel sent again during load and settling: all, and those that open a
        connection; of everything that runs on the client.
    connections, connect_max_s
        Connections that were made, and the longest time one took until it stood, TLS included.
    protocols
        What was spoken, such as ``h2``.
    browser_cpu_s
        CPU time of the browser's processes during the load and the settling.
    machine_load
        Share of all cores that was busy during the load, 0 to 1.
    """

    status: Status
    error: str
    duration_s: float
    browser: str = ""
    ttfb_s: float | None = None
    first_paint_s: float | None = None
    fcp_s: float | None = None
    lcp_s: float | None = None
    dom_interactive_s: float | None = None
    dom_content_loaded_s: float | None = None
    on_load_s: float | None = None
    cls: float | None = None
    tbt_s: float | None = None
    above_the_fold_s: float | None = None
    visual_85_s: float | None = None
    visual_95_s: float | None = None
    visual_99_s: float | None = None
    speed_index_s: float | None = None
    speed_index_check_s: float | None = None
    visual_note: str = ""
    requests: int | None = None
    failed_requests: int | None = None
    body_bytes: int | None = None
    wire_bytes: int | None = None
    retransmissions: int | None = None
    syn_retransmissions: int | None = None
    connections: int | None = None
    connect_max_s: float | None = None
    protocols: str = ""
    browser_cpu_s: float | None = None
    machine_load: float | None = None
    frames: tuple[Frame, ...] = field(default=(), repr=False)


_TIMINGS = ("ttfb_s", "first_paint_s", "fcp_s", "lcp_s", "dom_interactive_s", "dom_content_loaded_s", "on_load_s",
            "cls", "tbt_s")  # fmt: skip
_COUNTS = ("requests", "failed_requests", "body_bytes", "wire_bytes", "retransmissions", "syn_retransmissions")


def interpret(text: str) -> Load:
    """Check the runner's JSON and turn it into a `Load`.

    Raises
    ------
    InputError
        If it is not of `FORMAT`, or a field is missing or of another kind.
    """
    try:
        values = json.loads(text)
    except ValueError as problem:
        raise InputError("web result", f"is not valid JSON: {problem}") from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        version = values.get("format") if isinstance(values, dict) else None
        raise InputError("web result: format", f"is {version}; this mmwemu reads {FORMAT}")
    status: Any = values.get("status")
    error = values.get("error")
    if status not in get_args(Status) or not isinstance(error, str):
        raise InputError("web result: status", f"is {status!r}; must be one of {', '.join(get_args(Status))}")
    if "timings" not in values:
        # The browser broke before there was anything to measure.
        return Load(status="failed", error=error or "the browser measured nothing", duration_s=0.0)
    return _whole(values, status, error)


def _whole(values: Mapping[str, Any], status: Status, error: str) -> Load:
    timings, visual, network, cost = (_table(values, name) for name in ("timings", "visual", "network", "cost"))
    reached = _table(visual, "visual_s")
    connections = _rows(values, "connections")
    found: dict[str, Any] = {name: _number(timings, name) for name in _TIMINGS}
    found |= {name: _number(visual, name) for name in ("above_the_fold_s", "speed_index_s")}
    found |= {f"visual_{percent}_s": _number(reached, str(percent)) for percent in (85, 95, 99)}
    found |= {name: int(_number(network, name) or 0) for name in _COUNTS}
    found |= {name: _number(cost, name) for name in ("browser_cpu_s", "machine_load")}
    if status == "ok" and found["fcp_s"] is None:
        status, error = "failed", "the page drew nothing: no first contentful paint"
    return Load(
        status=status,
        error=error,
        duration_s=_number(values, "duration_s") or 0.0,
        browser=str(values.get("browser", "")),
        visual_note=str(visual.get("note", "")),
        connections=len(connections),
        connect_max_s=max((_number(row, "connect_s") or 0.0 for row in connections), default=None),
        protocols=" ".join(str(name) for name in network.get("protocols", [])),
        frames=tuple(Frame(_number(row, "time_s") or 0.0, str(row.get("file"))) for row in _rows(visual, "frames")),
        **found,
    )


def _table(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = values.get(name)
    if not isinstance(value, dict):
        raise InputError(f"web result: {name}", "must be an object")
    return value


def _rows(values: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    value = values.get(name)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise InputError(f"web result: {name}", "must be a list of objects")
    return value


def _number(values: Mapping[str, Any], name: str) -> float | None:
    value = values.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise InputError(f"web result: {name}", f"is {value!r}; must be a number, 0 or more, or null")
    return float(value)
