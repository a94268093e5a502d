"""The figure of a flow: throughput, queue, round-trip time under load and the state of TCP."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.core import figure
from mmwemu.core.units import mbps, ms

if TYPE_CHECKING:
    import pandas as pd

_BINS = 10
_BIN_S = 0.010
# iperf3 has a connection beside the flow, for words.
_FLOW_LEAST_BYTES = 64_000


def plot_flow(tables: Mapping[str, pd.DataFrame], way: str, path: Path, title: str = "") -> None:
    """Draw one run.

    Rate of the pattern and what was delivered, 100 ms means; queue; round-trip times by ping; congestion window and
    slow-start threshold of each TCP connection that carried the flow, and its own estimate of the round trip.

    Parameters
    ----------
    tables
        ``link``, ``ping`` and ``tcp`` of one run.
    way
        Of the flow: ``down`` or ``up``.
    path, title
        Where to draw it, and over what title.

    Raises
    ------
    MmwemuError
        If the picture cannot be written.
    """
    telemetry, pings = tables["link"], tables["ping"]
    senders = _senders(tables["tcp"], "server" if way == "down" else "client")
    part = telemetry[telemetry["direction"] == f"{way}link"].sort_values("time_s").reset_index(drop=True)
    n_row = 4 if senders else 3
    drawing, (rate, queue, delay, *tcp) = figure.new(7.0, 2.0 * n_row, rows=n_row, sharex=True)
    _draw_rate(rate, part)
    rate.set_title(title)
    queue.plot(part["time_s"], part["queue_bytes"] / 1e6, color=figure.ORANGE, linewidth=1.0)
    queue.set_ylabel("queue [MB]")
    delay.plot(pings["time_s"], ms(pings["rtt_s"].to_numpy(float)), ".", color=figure.BLUE, markersize=3, label="ping")
    lost = pings[pings["rtt_s"].isna()]
    delay.plot(lost["time_s"], [0.0] * len(lost), "x", color=figure.RED, markersize=4, label="lost")
    delay.set_ylabel("round trip [ms]")
    for i, sender in enumerate(senders):
        first = i == 0  # in the legend
        delay.plot(sender["time_s"], ms(sender["rtt_s"].to_numpy(float)), color=figure.ORANGE, linewidth=1.0,
                   label="TCP's RTT" if first else None)  # fmt: skip
        _draw_window(tcp[0], sender, first)
    for axes in (rate, queue, delay, *tcp):
        axes.set_ylim(bottom=0)
    rate.set_xlim(0, part["time_s"].max())
    [delay, *tcp][-1].set_xlabel("time [s]")
    drawing.legend(loc="outside upper right", ncols=4)
    figure.save(drawing, path)


def _senders(tcp: pd.DataFrame, role: str) -> list[pd.DataFrame]:
    """Give the samples of each connection that carried data at the sending end."""
    ours = tcp[tcp["role"] == role].groupby(["local", "peer"], sort=False)
    return [samples for _, samples in ours if samples["acked_bytes"].max() > _FLOW_LEAST_BYTES]


def _draw_rate(axes: Any, part: pd.DataFrame) -> None:
    tenths = part.groupby(part.index // _BINS)
    rows = tenths["time_s"].count() == _BINS
    time_s = tenths["time_s"].first()[rows]
    for column, colour, label in (
        ("capacity_bytes", figure.GREY, "pattern"),
        ("delivered_bytes", figure.BLUE, "delivered"),
    ):
        values = mbps((tenths[column].sum()[rows] * 8 / (_BINS * _BIN_S)).to_numpy(float))
        axes.step(time_s, values, where="post", color=colour, linewidth=1.2, label=label)
    axes.set_ylabel("Mbit/s of IP packets")


def _draw_window(axes: Any, sender: pd.DataFrame, first: bool) -> None:
    for column, style, label in (("cwnd_bytes", "-", "cwnd"), ("ssthresh_bytes", ":", "ssthresh")):
        axes.plot(sender["time_s"], sender[column] / 1e6, style, color=figure.RED if style == "-" else figure.GREY,
                  linewidth=1.0, label=label if first else None)  # fmt: skip
    axes.set_ylabel("window [MB]")
