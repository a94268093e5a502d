"""The figure of a flow: throughput, queue and round-trip time under load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.core import figure
from mmwemu.core.units import ms
from mmwemu.report.link_figures import draw_queue, draw_rate, of_direction

if TYPE_CHECKING:
    import pandas as pd


def plot_flow(telemetry: pd.DataFrame, pings: pd.DataFrame, way: str, path: Path, title: str = "") -> None:
    """Draw one run: rate of the pattern and what was delivered, 100 ms means; queue; round-trip times by ping.

    Raises
    ------
    MmwemuError
        If the picture cannot be written.
    """
    part = of_direction(telemetry, "downlink" if way == "down" else "uplink")
    drawing, (rate, queue, delay) = figure.new(7.0, 6.0, rows=3, sharex=True)
    draw_rate(rate, part)
    rate.set_title(title)
    draw_queue(queue, part)
    delay.plot(pings["time_s"], ms(pings["rtt_s"].to_numpy(float)), ".", color=figure.BLUE, markersize=3, label="ping")
    lost = pings[pings["rtt_s"].isna()]
    delay.plot(lost["time_s"], [0.0] * len(lost), "x", color=figure.RED, markersize=4, label="lost")
    delay.set_ylabel("round trip [ms]")
    delay.set_xlabel("time [s]")
    delay.set_ylim(bottom=0)
    delay.set_xlim(0, part["time_s"].max())
    drawing.legend(loc="outside upper right", ncols=4)
    figure.save(drawing, path)
