"""Rate, window, round trip and queue on one time axis, simulated beside Linux; a figure for each scenario."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mmwemu.core import figure
from mmwemu.papers.found import Found
from mmwemu.trace.measures import los_changes_s, window_means
from mmwemu.trace.model import Trace

# Column of the trace, scale, label.
_PANELS = (
    ("throughput_bps", 1e-6, "rate [Mbit/s]"),
    ("cwnd_bytes", 1e-6, "window [MB]"),
    ("rtt_s", 1e3, "round trip [ms]"),
    ("rlc_queue_bytes", 1e-6, "queue [MB]"),
)
_WINDOW_S = 0.1
_SHADE = "#e5e7eb"
_STYLES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))


@figure.styled
def _plot(found: Found, path: Path, *, scenario: str, title: str) -> None:
    """Draw the variants over one scenario, means over 100 ms, times without line of sight shaded.

    Raises
    ------
    InputError
        If a trace cannot be read.
    MmwemuError
        If the figure cannot be written.
    """
    variants = [one for one in found.variants if one.scenario == scenario and one.drawn]
    (plain,) = found.traces("", scenario)[:1]
    drawing, grid = figure.new(10.5, 8.0, len(_PANELS), 2, sharex=True, sharey="row")
    for axes, name in zip(grid[0], ("simulated", "Linux over the emulated link"), strict=True):
        axes.set_title(name)
    for axes in grid.ravel():
        for begin, end in _hidden_s(plain):
            axes.axvspan(begin, end, color=_SHADE, linewidth=0)
    for i, variant in enumerate(variants):
        style = {"color": f"C{i % 10}", "linestyle": _STYLES[i % len(_STYLES)], "linewidth": 1.2}
        grid[0, 0].plot([], [], label=variant.name.split("-", 1)[1], **style)
        for side, traces in enumerate((found.traces(variant.name), found.flows(variant.name))):
            if traces:
                _draw(grid[:, side], traces[0], style)
    for axes, (_, _, label) in zip(grid[:, 0], _PANELS, strict=True):
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
    for axes in grid[-1]:
        axes.set_xlim(0, plain.duration_s)
        axes.set_xlabel("time [s]; shaded: no line of sight")
    drawing.suptitle(title, x=0.01, ha="left")
    drawing.legend(loc="outside lower center", ncols=4)
    figure.save(drawing, path)


def _draw(panels: Sequence[Any], trace: Trace, style: Mapping[str, Any]) -> None:
    n = int(trace.duration_s / _WINDOW_S + 1e-6)
    middle_s = (np.arange(n) + 0.5) * _WINDOW_S
    for axes, (column, scale, _) in zip(panels, _PANELS, strict=True):
        if column in trace.columns():
            means = scale * window_means(trace, column, n, _WINDOW_S)
            axes.plot(middle_s, means, **style)


def _hidden_s(trace: Trace) -> list[tuple[float, float]]:
    """Return begin and end of each time without line of sight, s; the trace begins with it."""
    times = [*los_changes_s(trace).tolist(), trace.duration_s]
    return list(itertools.pairwise(times))[::2]


plot_humans = partial(_plot, scenario="zhang1-humans", title="Scenario 1: people, a source of 1 Gbit/s")
plot_buildings = partial(_plot, scenario="zhang2-buildings", title="Scenario 2: buildings")
plot_outages = partial(_plot, scenario="zhang3-outages", title="Scenario 3: outages of 0.4 s and 1 s")
