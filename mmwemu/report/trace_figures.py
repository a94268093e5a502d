"""Figures of traces: whatever columns one has, or two traces over each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mmwemu.core import figure
from mmwemu.core.units import mbps, ms
from mmwemu.report.figures import shade_nlos
from mmwemu.trace.measures import window_means
from mmwemu.trace.model import Floats, Trace

_WINDOW_S = 0.1
_COLOURS = (figure.BLUE, figure.ORANGE, figure.RED)
_PER_MB = 1e6


@dataclass(frozen=True)
class _Panel:
    """One row of a figure: its axis, columns with their labels, and whether bins are averaged over 100 ms."""

    label: str
    columns: Sequence[tuple[str, str]]
    is_averaged: bool = True


_PANELS = (
    _Panel("SINR [dB]", (("sinr_db", "SINR"),), is_averaged=False),
    _Panel("rate [Mbit/s]", (("throughput_bps", "throughput"), ("phy_rate_bps", "PHY rate"),
                             ("uplink_throughput_bps", "uplink throughput"))),
    _Panel("delay [ms]", (("delay_s", "one-way delay"), ("ran_delay_s", "in the radio network"),
                          ("rtt_s", "round trip of TCP"))),
    _Panel("size [MB]", (("rlc_queue_bytes", "RLC buffer"), ("cwnd_bytes", "congestion window"),
                         ("ssthresh_bytes", "slow-start threshold"))),
    _Panel("number", (("drops", "drops"), ("rlc_losses", "lost by RLC"), ("retransmissions", "retransmissions"))),
)  # fmt: skip
_COMPARED = (("SINR [dB]", "sinr_db"), ("throughput [Mbit/s]", "throughput_bps"), ("delay [ms]", "delay_s"))


@figure.styled
def plot(trace: Trace, path: Path, title: str = "") -> None:
    """Draw all columns that have values over time, NLOS shaded.

    Raises
    ------
    MmwemuError
        If the figure cannot be written.
    """
    columns = trace.columns()
    panels = [
        (panel, [(name, label) for name, label in panel.columns if _has_values(columns, name)]) for panel in _PANELS
    ]
    panels = [(panel, found) for panel, found in panels if found]
    drawing, rows = figure.new(7.0, 0.8 + 1.5 * max(1, len(panels)), rows=max(1, len(panels)), sharex=True)
    for axes, (panel, found) in zip(np.atleast_1d(rows), panels, strict=False):
        for colour, (name, label) in zip(_COLOURS, found, strict=False):
            time_s, values = _values(trace, name, panel.is_averaged)
            axes.plot(time_s, values, color=colour, label=label, linewidth=0.9)
        axes.set_ylabel(panel.label)
        shade_nlos(axes, trace, label=None)
        if len(found) > 1:
            axes.legend(loc="upper right", fontsize=8)
    _finish(drawing, np.atleast_1d(rows), trace.duration_s, title, path)


@figure.styled
def plot_pair(first: Trace, second: Trace, names: tuple[str, str], path: Path) -> None:
    """Draw SINR, throughput and delay of two traces over each other, the first's NLOS shaded.

    Raises
    ------
    MmwemuError
        If the figure cannot be written.
    """
    drawing, rows = figure.new(7.0, 5.5, rows=len(_COMPARED), sharex=True)
    for axes, (label, column) in zip(rows, _COMPARED, strict=True):
        for trace, name, colour in zip((first, second), names, _COLOURS, strict=False):
            axes.plot(*_values(trace, column, is_averaged=True), color=colour, label=name, linewidth=1.0)
        axes.set_ylabel(label)
        shade_nlos(axes, first, label=None)
    rows[0].legend(loc="upper right", fontsize=8)
    _finish(drawing, rows, max(first.duration_s, second.duration_s), "", path)


def _has_values(columns: dict[str, Floats], name: str) -> bool:
    return name in columns and not bool(np.isnan(columns[name]).all())


def _values(trace: Trace, name: str, is_averaged: bool) -> tuple[Floats, Floats]:
    """Return times, s, and values of a column in the unit of its axis, over 100 ms unless the trace is too coarse."""
    values, time_s = trace.columns()[name], trace.time_s
    n = int(trace.duration_s / _WINDOW_S + 1e-6)
    if is_averaged and n > 1 and trace.bin_s < _WINDOW_S:
        values, time_s = window_means(trace, name, n), (np.arange(n, dtype=np.float64) + 0.5) * _WINDOW_S
    if name.endswith("_bps"):
        return time_s, mbps(values)
    if name.endswith("_s"):
        return time_s, ms(values)
    return time_s, values / _PER_MB if name.endswith("_bytes") else values


def _finish(drawing: Any, rows: Any, duration_s: float, title: str, path: Path) -> None:
    rows[0].set_title(title)
    rows[-1].set_xlabel("time [s]")
    rows[-1].set_xlim(0, duration_s)
    figure.save(drawing, path)
