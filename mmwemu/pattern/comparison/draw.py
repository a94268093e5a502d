"""Picture of a comparison."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mmwemu.core import figure
from mmwemu.core.units import mbps, ms
from mmwemu.pattern.comparison.likeness import WIDTHS_S, Comparison
from mmwemu.pattern.comparison.series import BIN_S
from mmwemu.pattern.model import Floats

_COLOURS = (figure.ORANGE, figure.BLUE, figure.RED, "#3d8b5f", "#7a4fa3", "#8a6d3b")


@figure.styled
def plot(comparison: Comparison, path: Path, title: str = "") -> None:
    """Draw the rates, 100 ms means, of the reference and of each other series above each other, and the delays.

    Raises
    ------
    MmwemuError
        If the file cannot be written.
    """
    per_wide = round(WIDTHS_S[-1] / BIN_S)
    reference, *others = (one.wider(per_wide) for one in comparison.series)
    has_delay = all(one.delay_s is not None for one in (reference, *others))
    rows = len(others) + has_delay
    drawing, axes = figure.new(8.0, 0.6 + 1.7 * rows, rows=rows, sharex=True, squeeze=False)
    panels = axes[:, 0]
    edges_s = comparison.begin_s + np.arange(len(reference.rate_bps) + 1) * WIDTHS_S[-1]
    colours = [_COLOURS[i % len(_COLOURS)] for i in range(len(others))]
    for panel, one, colour in zip(panels, others, colours, strict=False):
        panel.fill_between(edges_s, _closed(reference.rate_bps), step="post", color="#c3c8d0", linewidth=0,
                           label=reference.name if panel is panels[0] else None)  # fmt: skip
        panel.step(edges_s, _closed(one.rate_bps), where="post", color=colour, linewidth=1.0, label=one.name)
        panel.set_ylim(bottom=0)
        panel.set_ylabel("Mbit/s")
    if has_delay:
        middles_s = edges_s[:-1] + WIDTHS_S[-1] / 2
        for one, colour in zip((reference, *others), ("#9aa1ac", *colours), strict=True):
            assert one.delay_s is not None
            width = 2.5 if one is reference else 1.0
            panels[-1].plot(middles_s, ms(one.delay_s), color=colour, linewidth=width)
        panels[-1].set_ylim(bottom=0)
        panels[-1].set_ylabel("delay [ms]")
    panels[0].set_title(title)
    panels[-1].set_xlim(comparison.begin_s, comparison.end_s)
    panels[-1].set_xlabel("time [s]")
    figure.add_legend(drawing, 4)
    figure.save(drawing, path)


def _closed(rate_bps: Floats) -> Floats:
    """Return rates in Mbit/s, the last one twice, for the end of its step."""
    return mbps(np.append(rate_bps, rate_bps[-1:]))
