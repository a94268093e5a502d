"""Figure of slow start's efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mmwemu.core import figure
from mmwemu.core.units import mbps, ms
from mmwemu.model import slowstart

_POINTS = 200


@figure.styled
def plot_efficiency(
    rates_bps: Sequence[float],
    rtts_s: Sequence[float],
    initial_window_bytes: float,
    sizes_bytes: tuple[float, float],
    path: Path,
) -> None:
    """Draw the share of the rate that a transfer uses over its size, one line for each rate and round trip.

    Raises
    ------
    MmwemuError
        If the figure cannot be written.
    """
    drawing, axes = figure.new(7.0, 4.0)
    low, high = sizes_bytes
    sizes = np.geomspace(low, max(high, low * 1.01), _POINTS)
    for i, rate_bps in enumerate(rates_bps):
        for j, rtt_s in enumerate(rtts_s):
            transfer = slowstart.Transfer(sizes, rate_bps, rtt_s, initial_window_bytes)
            label = f"{mbps(rate_bps):g} Mbit/s, {ms(rtt_s):g} ms"
            style = ("-", "--", ":", "-.")[j % 4]
            axes.plot(sizes / 1e6, slowstart.efficiency(transfer) * 100, style, color=f"C{i % 10}", label=label)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(0, 102)
    axes.set_xlabel("size [MB]")
    axes.set_ylabel("share of the rate [%]")
    axes.set_title(f"Slow start from {initial_window_bytes / 1e3:g} kB (Krasilov et al. 2019)")
    drawing.legend(loc="outside right upper", title="rate, round trip")
    figure.save(drawing, path)
