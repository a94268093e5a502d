"""The figure of a flow: throughput, queue and round-trip time under load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.core import figure
from mmwemu.core.units import mbps, ms

if TYPE_CHECKING:
    import pandas as pd

_BINS = 10
_BIN_S = 0.010


def plot_flow(telemetry: pd.DataFrame, pings: pd.DataFrame, way: str, path: Path, title: str = "") -> None:
    """Draw one run: rate of the pattern and what was delivered, 100 ms means; queue; round-trip times by ping.

    Raises
    ------
    MmwemuError
        If the picture cannot be written.
    """
    direction = "downlink" if way == "down" else "uplink"
    part = telemetry[telemetry["direction"] == direction].sort_values("time_s").reset_index(drop=True)
    tenths = part.groupby(part.index // _BINS)
    rows = tenths["time_s"].count() == _BINS
    time_s = tenths["time_s"].first()[rows]
    seconds = _BINS * _BIN_S
    drawing, (rate, queue, delay) = figure.new(7.0, 6.0, rows=3, sharex=True)
    for column, colour, label in (
        ("capacity_bytes", figure.GREY, "pattern"),
        ("delivered_bytes", figure.BLUE, "delivered"),
    ):
        values = mbps((tenths[column].sum()[rows] * 8 / seconds).to_numpy(float))
        rate.step(time_s, values, where="post", color=colour, linewidth=1.2, label=label)
    rate.set_ylabel("Mbit/s of IP packets")
    rate.set_title(title)
    queue.plot(part["time_s"], part["queue_bytes"] / 1e6, color=figure.ORANGE, linewidth=1.0)
    queue.set_ylabel("queue [MB]")
    delay.plot(pings["time_s"], ms(pings["rtt_s"].to_numpy(float)), ".", color=figure.BLUE, markersize=3, label="ping")
    lost = pings[pings["rtt_s"].isna()]
    delay.plot(lost["time_s"], [0.0] * len(lost), "x", color=figure.RED, markersize=4, label="lost")
    delay.set_ylabel("round trip [ms]")
    delay.set_xlabel("time [s]")
    for axes in (rate, queue, delay):
        axes.set_ylim(bottom=0)
    delay.set_xlim(0, part["time_s"].max())
    drawing.legend(loc="outside upper right", ncols=4)
    figure.save(drawing, path)
