"""Figures of page loads in the manner of Hurtig 2019, 8 and 9."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mmwemu.apps.web.summary import METRICS, PageLoads
from mmwemu.core import figure

_STUDY = 6


def plot_speed_index(groups: Sequence[PageLoads], path: Path, title: str = "") -> None:
    """Draw Speed Index by site, a box for each pattern with every load as a dot; hollow boxes: the computer decided."""
    drawing, axes = figure.new(7.0, 3.8)
    _boxes(axes, groups, "speed_index_s", list(dict.fromkeys(group.site for group in groups)))
    axes.set_ylabel("Speed Index [s]")
    axes.set_title(title)
    drawing.legend(loc="outside upper right", ncols=2)
    figure.save(drawing, path)


def plot_metrics(groups: Sequence[PageLoads], path: Path, title: str = "") -> None:
    """Draw the six metrics of the study's figure 9, one panel each, by site and pattern."""
    drawing, panels = figure.new(9.0, 5.6, rows=2, columns=3)
    sites = list(dict.fromkeys(group.site for group in groups))
    for i, (axes, (name, label)) in enumerate(zip(np.ravel(panels), list(METRICS.items())[:_STUDY], strict=True)):
        _boxes(axes, groups, name, sites, named=i == 0)
        axes.set_title(label)
        axes.tick_params(axis="x", rotation=30 if len(sites) > 1 else 0)
        if i % 3 == 0:
            axes.set_ylabel("time [s]")
    drawing.suptitle(title, x=0.01, ha="left", fontsize=11)
    drawing.legend(loc="outside upper right", ncols=2)
    figure.save(drawing, path)


def _boxes(axes: Any, groups: Sequence[PageLoads], metric: str, sites: Sequence[str], *, named: bool = True) -> None:
    series = list(dict.fromkeys((group.pattern, group.rat) for group in groups))
    one_per_rat = len({rat for _, rat in series}) == len(series)
    width = 0.8 / len(series)
    labelled: set[str] = set()
    for group in groups:
        i = series.index((group.pattern, group.rat))
        label = figure.RAT_LABELS.get(group.rat, group.pattern) if one_per_rat else group.pattern
        colour = figure.RAT_COLOURS.get(group.rat, figure.GREY) if one_per_rat else f"C{i}"
        values = np.array(group.values_s[metric])
        x = sites.index(group.site) + (i - (len(series) - 1) / 2) * width
        if len(values) == 0:
            continue
        fill = "none" if group.at_computers_limit else colour
        box = {"facecolor": fill, "edgecolor": colour, "alpha": 0.6, "linewidth": 1.2}
        axes.boxplot(
            values, positions=[x], widths=width * 0.8, patch_artist=True, manage_ticks=False, showfliers=False,
            boxprops=box, medianprops={"color": "black"}, whiskerprops={"color": colour}, capprops={"color": colour},
        )  # fmt: skip
        spread = np.linspace(-0.25, 0.25, len(values)) * width if len(values) > 1 else np.zeros(1)
        axes.scatter(x + spread, values, s=8, color="white", edgecolor=colour, linewidth=0.7, zorder=3)
        if named and label not in labelled:
            axes.plot([], [], "s", color=colour, label=label)
            labelled.add(label)
    if named and any(group.at_computers_limit for group in groups):
        axes.plot([], [], "s", markerfacecolor="none", color=figure.GREY, label="hollow: the computer's limit")
    axes.set_xticks(range(len(sites)), sites)
    axes.grid(False, axis="x")
    axes.set_xlim(-0.6, len(sites) - 0.4)
    axes.set_ylim(bottom=0)
