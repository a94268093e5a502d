"""Result of a page load; docs/formats/web-result.md describes the driver's JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mmwemu.apps.shared.answer import Answer, Status, read

FORMAT = 1


@dataclass(frozen=True)
class Frame:
    """One screenshot: its time, s since the navigation started, and its file name."""

    time_s: float
    file: str


@dataclass(frozen=True, kw_only=True)
class Load:
    """A page load with a cold cache; times are s since the navigation started, None if not reached or unknown.

    Attributes
    ----------
    status, error
        ``ok``; ``timeout``: not loaded within the limit, which is a valid result; ``failed``, with the reason.
    duration_s
        Time until the page was loaded, or the limit.
    browser
        Name and version of the browser.
    connect_start_s
        Start of the connection that the page came over.
    ttfb_s, first_paint_s, fcp_s, lcp_s
        Time to first byte; first paint; first and largest contentful paint.
    dom_interactive_s, dom_content_loaded_s, on_load_s
        Document parsed ("time to interactive" in Hurtig 2019); deferred scripts done; everything loaded.
    cls
        Cumulative layout shift, no unit.
    tbt_s
        Total blocking time: time of long tasks beyond 50 ms each, after first contentful paint.
    above_the_fold_s
        Last visual change of the screen.
    visual_85_s, visual_95_s, visual_99_s
        Time at which the screen was 85, 95 or 99 % complete.
    speed_index_s, speed_index_check_s
        Speed Index by speedline, and by mmwemu from the screenshots.
    visual_note
        Reason why there is no Speed Index, or why it is doubtful.
    requests, failed_requests
        Requests made, and those without a successful response.
    body_bytes, wire_bytes
        Bytes of the objects, without and with HTTP headers.
    retransmissions, syn_retransmissions
        TCP packets that the client's kernel retransmitted during load and settling, for all its programs: all, and
        SYN only.
    connections, connect_max_s
        Connections made, and the longest set-up time of one, including TLS.
    protocols
        Protocols in use, such as ``h2``.
    browser_cpu_s
        CPU time of the browser's processes during the load and the settling.
    machine_load
        Busy share of all cores during the load, 0 to 1.
    """

    status: Status
    error: str
    duration_s: float
    browser: str = ""
    connect_start_s: float | None = None
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


_TIMINGS = ("connect_start_s", "ttfb_s", "first_paint_s", "fcp_s", "lcp_s", "dom_interactive_s", "dom_content_loaded_s",
            "on_load_s", "cls", "tbt_s")  # fmt: skip
_COUNTS = ("requests", "failed_requests", "body_bytes", "wire_bytes", "retransmissions", "syn_retransmissions")


def interpret(text: str) -> Load:
    """Return the `Load` in the driver's JSON.

    Raises
    ------
    InputError
        If it is not of `FORMAT`, or a field is missing or of a wrong type.
    """
    answer = read(text, "web result", FORMAT)
    status, error = answer.status, answer.error
    if "timings" not in answer.values:
        # The browser broke before the load began.
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
