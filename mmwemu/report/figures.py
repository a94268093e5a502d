"""Figures of traces and patterns in the manner of Hurtig 2019, figures 2b to 4b."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core import figure
from mmwemu.core.units import mbps
from mmwemu.pattern.model import Pattern
from mmwemu.scenario.model import Rat
from mmwemu.trace.model import Trace

_BIN_S = 0.1


@figure.styled
def plot_trace(trace: Trace, path: Path, title: str = "") -> None:
    """Draw SINR and transport throughput over time, NLOS shaded."""
    drawing, (sinr, throughput) = figure.new(7.0, 4.6, rows=2, sharex=True)
    colour = figure.RAT_COLOURS.get(str(trace.meta.get("rat")), figure.BLUE)
    sinr.plot(trace.time_s, trace.sinr_db, color=colour, linewidth=0.7)
    sinr.set_ylabel("SINR [dB]")
    time_s, rate_bps = rebin(trace.time_s, trace.throughput_bps, trace.bin_s)
    throughput.plot(time_s, mbps(rate_bps), color=colour, linewidth=1.2)
    throughput.set_ylabel("throughput [Mbit/s]")
    throughput.set_xlabel("time [s]")
    throughput.set_ylim(bottom=0)
    throughput.set_xlim(0, trace.duration_s)
    for axes in (sinr, throughput):
        shade_nlos(axes, trace)
    sinr.set_title(title)
    drawing.legend(*throughput.get_legend_handles_labels(), loc="outside upper right")
    figure.save(drawing, path)


def rebin(
    time_s: NDArray[np.float64], values: NDArray[np.float64], bin_s: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the middles of 100 ms bins, s, and the means in them of ``values`` [n], one per ``bin_s``."""
    width = max(1, round(_BIN_S / bin_s))
    n = len(values) // width
    if n == 0:
        return time_s, values
    return time_s[: n * width : width] + width * bin_s / 2, values[: n * width].reshape(n, width).mean(axis=1)


def shade_nlos(axes: Any, trace: Trace, label: str | None = "no line of sight") -> None:
    """Shade the times without line of sight; ``label`` is that of the first one."""
    blocked = np.concatenate(([0], (trace.los == 0).astype(int), [0]))
    edges = np.flatnonzero(np.diff(blocked))
    stops_s = np.append(trace.time_s, trace.duration_s)
    for i, (start, stop) in enumerate(edges.reshape(-1, 2)):
        named = label if i == 0 else None
        axes.axvspan(stops_s[start], stops_s[stop], color="#9ca3af", alpha=0.25, linewidth=0, label=named)


@figure.styled
def plot_patterns(patterns: Mapping[Rat, Pattern], path: Path, title: str = "") -> None:
    """Draw the downlink rate of several patterns, one curve each in the colour of its RAT."""
    drawing, axes = figure.new(7.0, 3.0)
    for rat, pattern in patterns.items():
        rate = mbps(pattern.downlink.rate_bps)
        time_s = np.append(pattern.time_s, pattern.duration_s)
        label, colour = figure.RAT_LABELS[rat], figure.RAT_COLOURS[rat]
        axes.step(time_s, np.append(rate, rate[-1]), where="post", color=colour, label=label, linewidth=1.5)
    axes.set_xlim(0, max(pattern.duration_s for pattern in patterns.values()))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("rate of IP packets [Mbit/s]")
    axes.set_title(title)
    drawing.legend(loc="outside upper right", ncols=2)
    figure.save(drawing, path)
