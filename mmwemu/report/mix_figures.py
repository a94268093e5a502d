"""Figure of concurrent applications: the link, and the time span of each application."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.core import figure
from mmwemu.report.link_figures import draw_queue, draw_rate, of_direction
from mmwemu.results.records import Run

if TYPE_CHECKING:
    import pandas as pd

_COLOURS = {"ok": figure.BLUE, "timeout": figure.ORANGE, "failed": figure.RED}


@figure.styled
def plot_mix(telemetry: pd.DataFrame, runs: Sequence[Run], path: Path, title: str = "") -> None:
    """Draw one replay: rate of the pattern, delivered rate, queue, and a bar for the time span of each application.

    The bar of a CPU-bound run is hollow.

    Raises
    ------
    MmwemuError
        If the file cannot be written.
    """
    part = of_direction(telemetry, "downlink")
    drawing, (rate, queue, bars) = figure.new(7.0, 4.4 + 0.3 * len(runs), rows=3, sharex=True)
    draw_rate(rate, part)
    rate.set_title(title)
    draw_queue(queue, part)
    for i, run in enumerate(runs):
        colour = _COLOURS[run.status]
        fill = "none" if run.cpu_bound else colour
        bars.barh(i, run.duration_s, left=run.offset_s, height=0.5, facecolor=fill, edgecolor=colour)
    bars.set_yticks(range(len(runs)), [run.application for run in runs])
    bars.invert_yaxis()
    bars.set_xlabel("time [s]")
    bars.set_xlim(0, max([*part["time_s"][-1:], *(run.offset_s + run.duration_s for run in runs)]))
    drawing.legend(loc="outside upper right", ncols=2)
    figure.save(drawing, path)
