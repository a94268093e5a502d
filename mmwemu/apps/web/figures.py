"""Figures of page loads in the manner of Hurtig 2019, figures 8 and 9."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mmwemu.apps.web.metrics import METRICS
from mmwemu.core import figure
from mmwemu.report.boxes import draw_boxes
from mmwemu.report.summary import Group

_IN_FIGURE_9 = 6


@figure.styled
def plot_speed_index(groups: Sequence[Group], path: Path, title: str = "") -> None:
    """Draw Speed Index by site, a box for each pattern with every load as a dot; hollow boxes are CPU-bound."""
    drawing, axes = figure.new(7.0, 3.8)
    draw_boxes(axes, groups, "speed_index_s", "site")
    axes.set_ylabel("Speed Index [s]")
    axes.set_title(title)
    figure.add_legend(drawing, 2)
    figure.save(drawing, path)


@figure.styled
def plot_metrics(groups: Sequence[Group], path: Path, title: str = "") -> None:
    """Draw the six metrics of figure 9, one panel each, by site and pattern."""
    drawing, panels = figure.new(9.0, 5.6, rows=2, columns=3)
    several_sites = len({group.keys["site"] for group in groups}) > 1
    for i, (axes, (name, label)) in enumerate(zip(np.ravel(panels), list(METRICS.items())[:_IN_FIGURE_9], strict=True)):
        draw_boxes(axes, groups, name, "site", named=i == 0)
        axes.set_title(label)
        axes.tick_params(axis="x", rotation=30 if several_sites else 0)
        if i % 3 == 0:
            axes.set_ylabel("time [s]")
    drawing.suptitle(title, x=0.01, ha="left", fontsize=11)
    figure.add_legend(drawing, 2)
    figure.save(drawing, path)
