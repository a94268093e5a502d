"""Figure of the table of transfers: download rate over the size of the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mmwemu.core import figure
from mmwemu.core.units import mbps
from mmwemu.papers.found import Found
from mmwemu.report.statistics import average_or_range

_STYLES = {"model": ("-", "", 1.0), "simulation": ("--", "s", 1.2), "linux": (":", "o", 1.4)}
_LABELS = {"model": "model", "simulation": "simulation", "linux": "Linux"}


@figure.styled
def plot_transfers(found: Found, path: Path) -> None:
    """Draw the mean rate of each variant over the size: by the model, simulated, and by Linux with its interval.

    Runs that failed or were not valid are left out.

    Raises
    ------
    MmwemuError
        If the figure cannot be written.
    """
    table, variants = found.transfers, [variant.name for variant in found.variants if variant.drawn]
    drawing, axes = figure.new(7.5, 4.4)
    good = table[table["valid"].astype(bool) & (table["status"] == "ok")].dropna(subset=["rate_bps"])
    good = good[good["variant"].isin(variants)]
    for (by, variant), part in good.groupby(["by", "variant"], sort=False):
        line, mark, width = _STYLES[str(by)]
        sizes = sorted(set(part["size_bytes"]))
        means = [_mean(part.loc[part["size_bytes"] == size, "rate_bps"].tolist()) for size in sizes]
        middle, low, high = np.array(means).T
        colour = f"C{variants.index(str(variant)) % 10}"
        axes.errorbar(
            np.array(sizes) / 1e6, middle, yerr=[middle - low, high - middle], color=colour,
            linestyle=line, marker=mark, markersize=4, linewidth=width, capsize=2,
        )  # fmt: skip
    for i, variant in enumerate(variants):
        axes.plot([], [], color=f"C{i % 10}", label=variant)
    for by in dict.fromkeys(good["by"]):
        line, mark, width = _STYLES[by]
        axes.plot([], [], line, marker=mark, markersize=4, linewidth=width, color=figure.GREY, label=_LABELS[by])
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("size of the file [MB]")
    axes.set_ylabel("download rate [Mbit/s]")
    axes.set_title("Slow start of TCP in a 5G mmWave cell")
    drawing.legend(loc="outside right upper")
    figure.save(drawing, path)


def _mean(rates_bps: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean with the ends of its interval, or below five values with the extremes, Mbit/s."""
    one = average_or_range(rates_bps)
    return mbps(one.value), mbps(one.low), mbps(one.high)
