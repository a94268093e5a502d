"""Downloads on the report page."""

from __future__ import annotations

from mmwemu.report.view import Course, KeptRun, Metric, View

_MOMENTS = {"connect_s": "connected", "ttfb_s": "first byte"}


def course(run: KeptRun) -> Course:
    """Return the moments of a download, and its span."""
    return Course(run.moments(_MOMENTS), [run.span("download")])


VIEW = View(
    "Downloads",
    (
        Metric("goodput_bps", better="higher"),
        Metric("duration_s", better="lower"),
        Metric("ttfb_s", "time to first byte", "lower"),
        Metric("connect_s", "connection set-up", "lower"),
    ),
    ("size_bytes", "protocol"),
    course,
)
