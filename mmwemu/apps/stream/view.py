"""Playback on the report page."""

from __future__ import annotations

from mmwemu.core.units import mbps
from mmwemu.report.view import Course, Curve, KeptRun, Metric, Panel, Span, View

_CAUSES = {"network": "stall", "cpu": "stall by the computer"}


def course(run: KeptRun) -> Course:
    """Return stalls, requests of media segments, the shown quality and the buffer."""
    begin_s = run.begin_s
    spans, panels = [], []
    if (segments := run.tables.get("segments")) is not None and "requested_s" in segments:
        for one in segments[segments["track"] == "video"].dropna(subset=["requested_s", "ended_s"]).to_dict("records"):
            label = f"segment {one['number']} at {mbps(one['rate_bps']):.3g} Mbit/s, {one['outcome']}"
            spans.append(Span(begin_s + one["requested_s"], begin_s + one["ended_s"], "video segments", label))
    if (stalls := run.tables.get("stalls")) is not None:
        for one in stalls.to_dict("records"):
            start_s = begin_s + one["start_s"]
            kind = _CAUSES.get(one["cause"], "stall")
            spans.append(Span(start_s, start_s + one["duration_s"], kind, f"{one['duration_s']:.1f} s"))
    if (samples := run.tables.get("buffer")) is not None and len(samples):
        time_s = begin_s + samples["time_s"].to_numpy(float)
        shown, believed = (mbps(samples[name].to_numpy(float)) for name in ("rate_bps", "throughput_bps"))
        panels = [
            Panel("buffer [s]", [Curve("buffer", time_s, samples["buffer_s"].to_numpy(float))]),
            Panel("video [Mbit/s]", [Curve("shown", time_s, shown, "step"),
                                     Curve("player's estimate", time_s, believed)]),
        ]  # fmt: skip
    return Course(run.moments({"startup_s": "film begins"}), spans, panels)


VIEW = View(
    "Films",
    (
        Metric("bitrate_mean_bps", "mean video bitrate", "higher"),
        Metric("startup_s", "start-up delay", "lower"),
        Metric("stall_s", "stalled", "lower"),
        Metric("stalls", better="lower"),
        Metric("buffer_mean_s", "mean buffer", "higher"),
        Metric("qoe_bps", "linear QoE", "higher"),
    ),
    ("film", "ladder", "player", "abr"),
    course,
    ("buffer", "segments", "stalls"),
)
