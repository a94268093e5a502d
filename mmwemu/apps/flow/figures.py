"""Figure of a flow: throughput, queue, round-trip time under load and state of the sender."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.core import figure
from mmwemu.core.units import ms
from mmwemu.report.link_figures import draw_queue, draw_rate, of_direction

if TYPE_CHECKING:
    import pandas as pd

# iperf3 has a control connection beside the flow.
_FLOW_LEAST_BYTES = 64_000


@figure.styled
def plot_flow(tables: Mapping[str, pd.DataFrame], direction: str, path: Path, title: str = "", link: int = 1) -> None:
    """Draw one run.

    The panels show rate of the pattern and delivered rate, 100 ms means; queue; round-trip times by ping and by the
    sender; congestion window and slow-start threshold of each connection of TCP or QUIC that carried the flow.

    Parameters
    ----------
    tables
        ``link``, ``ping``, and ``tcp`` or ``quic`` of one run.
    direction
        Direction of the flow: ``downlink`` or ``uplink``.
    path, title
        File and title of the figure.
    link
        Number of the link whose rate and queue are shown.

    Raises
    ------
    MmwemuError
        If the file cannot be written.
    """
    telemetry, pings = tables["link"], tables["ping"]
    transport, senders = senders_of(tables, direction)
    part = of_direction(telemetry, direction, link)
    n_row = 4 if senders else 3
    drawing, (rate, queue, delay, *tcp) = figure.new(7.0, 2.0 * n_row, rows=n_row, sharex=True)
    draw_rate(rate, part)
    rate.set_title(title)
    draw_queue(queue, part)
    delay.plot(pings["time_s"], ms(pings["rtt_s"].to_numpy(float)), ".", color=figure.BLUE, markersize=3, label="ping")
    lost = pings[pings["rtt_s"].isna()]
    delay.plot(lost["time_s"], [0.0] * len(lost), "x", color=figure.RED, markersize=4, label="lost")
    delay.set_ylabel("round trip [ms]")
    for i, sender in enumerate(senders):
        first = i == 0  # in the legend
        delay.plot(sender["time_s"], ms(sender["rtt_s"].to_numpy(float)), color=figure.ORANGE, linewidth=1.0,
                   label=f"{transport}'s RTT" if first else None)  # fmt: skip
        _draw_window(tcp[0], sender, first)
    for axes in (delay, *tcp):
        axes.set_ylim(bottom=0)
    rate.set_xlim(0, part["time_s"].max())
    [delay, *tcp][-1].set_xlabel("time [s]")
    drawing.legend(loc="outside upper right", ncols=4)
    figure.save(drawing, path)


def senders_of(tables: Mapping[str, pd.DataFrame], direction: str) -> tuple[str, list[pd.DataFrame]]:
    """Return the transport of a run, and the samples at the sender of each connection that carried data."""
    if (quic := tables.get("quic")) is not None and len(quic):
        return "QUIC", [samples for _, samples in quic.groupby("local", sort=False)]
    if (tcp := tables.get("tcp")) is None:
        return "QUIC", []
    order = ["client", "edge", "server"]
    ends = sorted(set(tcp["role"]), key=order.index)
    role = ends[-1 if direction == "downlink" else 0] if ends else ""
    ours = tcp[tcp["role"] == role].groupby(["local", "peer"], sort=False)
    return "TCP", [samples for _, samples in ours if samples["acked_bytes"].max() > _FLOW_LEAST_BYTES]


def _draw_window(axes: Any, sender: pd.DataFrame, first: bool) -> None:
    for column, style, label in (("cwnd_bytes", "-", "cwnd"), ("ssthresh_bytes", ":", "ssthresh")):
        axes.plot(sender["time_s"], sender[column] / 1e6, style, color=figure.RED if style == "-" else figure.GREY,
                  linewidth=1.0, label=label if first else None)  # fmt: skip
    axes.set_ylabel("window [MB]")
