"""Figures in the manner of Hurtig 2019, 2b to 4b and 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core import figure
from mmwemu.core.units import format_size, mbps
from mmwemu.pattern.model import Pattern
from mmwemu.report.statistics import Goodput
from mmwemu.scenario.model import Rat
from mmwemu.trace.model import Trace

_BIN_S = 0.1


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
        _shade_nlos(axes, trace)
    sinr.set_title(title)
    drawing.legend(*throughput.get_legend_handles_labels(), loc="outside upper right")
    figure.save(drawing, path)


def rebin(
    time_s: NDArray[np.float64], values: NDArray[np.float64], bin_s: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average ``values`` [n], one a bin of ``bin_s``, over 100 ms; gives the middles of the new bins, s, and means."""
    width = max(1, round(_BIN_S / bin_s))
    n = len(values) // width
    if n == 0:
        return time_s, values
    return time_s[: n * width : width] + width * bin_s / 2, values[: n * width].reshape(n, width).mean(axis=1)


def _shade_nlos(axes: Any, trace: Trace) -> None:
    blocked = np.concatenate(([0], (trace.los == 0).astype(int), [0]))
    edges = np.flatnonzero(np.diff(blocked))
    stops_s = np.append(trace.time_s, trace.duration_s)
    for i, (start, stop) in enumerate(edges.reshape(-1, 2)):
        label = "no line of sight" if i == 0 else None
        axes.axvspan(stops_s[start], stops_s[stop], color="#9ca3af", alpha=0.25, linewidth=0, label=label)


def plot_patterns(patterns: Mapping[Rat, Pattern], path: Path, title: str = "") -> None:
    """Draw the downlink rate of several patterns, one curve each; with the colour of its RAT."""
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


def plot_goodput(groups: Sequence[Goodput], path: Path, title: str = "") -> None:
    """Draw mean goodput by file size, one bar for each pattern, every run as a dot, 95 % intervals as whiskers."""
    drawing, axes = figure.new(7.0, 3.8)
    sizes = list(dict.fromkeys(group.size_bytes for group in groups))
    series = list(dict.fromkeys((group.pattern, group.rat, group.start_at_s) for group in groups))
    several_starts = len({start for _, _, start in series}) > 1
    one_per_rat = len({rat for _, rat, _ in series}) == len(series)
    width = 0.8 / len(series)
    for i, (pattern, rat, start_at_s) in enumerate(series):
        name = figure.RAT_LABELS.get(rat, pattern) if one_per_rat else pattern
        label = f"{name}, from {start_at_s:g} s" if several_starts else name
        colour = figure.RAT_COLOURS.get(rat, figure.GREY) if one_per_rat else f"C{i}"
        mine = [group for group in groups if (group.pattern, group.rat, group.start_at_s) == (pattern, rat, start_at_s)]
        for group in mine:
            x = sizes.index(group.size_bytes) + (i - (len(series) - 1) / 2) * width
            estimate = group.goodput
            axes.bar(x, mbps(estimate.mean), width * 0.9, color=colour, label=label if group is mine[0] else None)
            if estimate.n > 1:
                arms = [[mbps(estimate.mean - estimate.low)], [mbps(estimate.high - estimate.mean)]]
                axes.errorbar(x, mbps(estimate.mean), yerr=arms, color="black", capsize=4, linewidth=1.2)
            dots = np.array(group.values_bps)
            spread = np.linspace(-0.2, 0.2, len(dots)) * width if len(dots) > 1 else np.zeros(len(dots))
            axes.scatter(x + spread, mbps(dots), s=10, color="white", edgecolor="black", linewidth=0.6, zorder=3)
    axes.set_xticks(range(len(sizes)), [format_size(size) for size in sizes])
    axes.grid(False, axis="x")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("file size")
    axes.set_ylabel("goodput [Mbit/s]")
    axes.set_title(title)
    drawing.legend(loc="outside upper right", ncols=2)
    figure.save(drawing, path)
