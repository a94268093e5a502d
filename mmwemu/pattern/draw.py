"""Plot of a pattern."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mmwemu.core import figure
from mmwemu.core.units import mbps
from mmwemu.pattern.model import Pattern


@figure.styled
def plot(pattern: Pattern, path: Path, title: str = "") -> None:
    """Draw the rate of both directions over time.

    Raises
    ------
    MmwemuError
        If the file cannot be written.
    """
    drawing, axes = figure.new(7.0, 3.0)
    time_s = np.append(pattern.time_s, pattern.duration_s)
    same = np.array_equal(pattern.downlink.rate_bps, pattern.uplink.rate_bps)
    curves = [("both directions" if same else "downlink", figure.BLUE, pattern.downlink)]
    if not same:
        curves.append(("uplink", figure.ORANGE, pattern.uplink))
    for label, colour, direction in curves:
        rate = mbps(direction.rate_bps)
        axes.step(time_s, np.append(rate, rate[-1]), where="post", color=colour, label=label, linewidth=1.2)
    outages = pattern.downlink.rate_bps == 0
    for start_s, stop_s in zip(time_s[:-1][outages], time_s[1:][outages], strict=True):
        axes.axvspan(start_s, stop_s, color=figure.RED, alpha=0.15, linewidth=0)
    axes.set_xlim(0, pattern.duration_s)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("rate of IP packets [Mbit/s]")
    axes.set_title(title)
    axes.legend(loc="best")
    figure.save(drawing, path)
