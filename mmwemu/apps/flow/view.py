"""Flows on the report page."""

from __future__ import annotations

from mmwemu.apps.flow.figures import senders_of
from mmwemu.core.units import ms
from mmwemu.report.view import Course, Curve, KeptRun, Metric, Panel, View


def course(run: KeptRun) -> Course:
    """Return round trips by ping and sender, and the window of each connection that carried the flow."""
    delays, windows = [], []
    if (pings := run.tables.get("ping")) is not None and len(pings):
        replies = pings.dropna(subset=["rtt_s"])
        delays.append(Curve("ping", replies["time_s"].to_numpy(float), ms(replies["rtt_s"].to_numpy(float)), "dots"))
    transport, found = senders_of(run.tables, run.row["direction"])
    for i, samples in enumerate(found, 1):
        number = f" {i}" if len(found) > 1 else ""
        time_s = samples["time_s"].to_numpy(float)
        delays.append(Curve(f"{transport}'s RTT{number}", time_s, ms(samples["rtt_s"].to_numpy(float))))
        for column, label in (("cwnd_bytes", "cwnd"), ("ssthresh_bytes", "ssthresh")):
            windows.append(Curve(f"{label}{number}", time_s, samples[column].to_numpy(float) / 1e6, "step"))
    panels = [Panel("round trip [ms]", delays), Panel("window [MB]", windows)]
    return Course(
        panels=[panel for panel in panels if panel.curves],
        direction=run.row["direction"],
    )


VIEW = View(
    "Flows",
    (
        Metric("goodput_bps", better="higher"),
        Metric("rtt_median_s", "median round trip", "lower"),
        Metric("rtt_p95_s", "95th percentile of the round trip", "lower"),
        Metric("rtt_min_s", "least round trip", "lower"),
        Metric("retransmissions", better="lower"),
        Metric("lost_packets", "lost datagrams or packets of QUIC", "lower"),
    ),
    ("protocol", "direction", "streams", "subpath"),
    course,
    ("ping", "tcp", "quic"),
)
