"""What one load of a page came to; the runner's JSON is described in docs/formats/web-result.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mmwemu.apps.shared.answer import Answer, Status, read

FORMAT = 1


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
    answer = read(text, "web result", FORMAT)
    status, error = answer.status, answer.error
    if "timings" not in answer.values:
        # The browser broke before there was anything to measure.
        return Load(status="failed", error=error or "the browser measured nothing", duration_s=0.0)
    return _whole(answer, status, error)


def _whole(answer: Answer, status: Status, error: str) -> Load:
    timings, visual, network, cost = (answer.table(name) for name in ("timings", "visual", "network", "cost"))
    reached = visual.table("visual_s")
    connections = answer.rows("connections")
    found: dict[str, Any] = {name: timings.number(name) for name in _TIMINGS}
    found |= {name: visual.number(name) for name in ("above_the_fold_s", "speed_index_s")}
    found |= {f"visual_{percent}_s": reached.number(str(percent)) for percent in (85, 95, 99)}
    found |= {name: int(network.number(name) or 0) for name in _COUNTS}
    found |= {name: cost.number(name) for name in ("browser_cpu_s", "machine_load")}
    if status == "ok" and found["fcp_s"] is None:
        status, error = "failed", "the page drew nothing: no first contentful paint"
    return Load(
        status=status,
        error=error,
        duration_s=answer.number("duration_s") or 0.0,
        browser=answer.text("browser"),
        visual_note=visual.text("note"),
        connections=len(connections),
        connect_max_s=max((row.number("connect_s") or 0.0 for row in connections), default=None),
        protocols=" ".join(str(name) for name in network.values.get("protocols", [])),
        frames=tuple(Frame(row.number("time_s") or 0.0, row.text("file")) for row in visual.rows("frames")),
        **found,
    )
