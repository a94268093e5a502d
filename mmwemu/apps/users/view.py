"""Users on the report page."""

from __future__ import annotations

from mmwemu.report.view import Course, KeptRun, Metric, Span, View


def course(run: KeptRun) -> Course:
    """Return the downloads of a user."""
    downloads = run.tables.get("downloads")
    if downloads is None:
        return Course()
    spans = [
        Span(row["start_s"], row["end_s"], "download", f"{row['size_bytes'] / 1e6:.0f} MB")
        for row in downloads.to_dict("records")
    ]
    return Course(spans=spans)


VIEW = View(
    "Users",
    (
        Metric("goodput_bps", "download rate", "higher"),
        Metric("download_rate_mean_bps", "mean rate of downloads", "higher"),
        Metric("downloads", "finished downloads", "higher"),
    ),
    ("traffic_seed",),
    course,
    ("downloads",),
)
