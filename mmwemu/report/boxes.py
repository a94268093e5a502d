"""Box plots of groups of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmwemu.core import figure
from mmwemu.report.summary import Group

_MARGIN = 1.08


def draw_boxes(axes: Any, groups: Sequence[Group], metric: str, by: str | None = None, *, named: bool = True) -> None:
    """Draw a box for each group, with every run as a dot.

    Each pattern has a colour, that of its radio access technology if there is one pattern of each. A hollow box means
    that more than half of the runs were CPU-bound.

    Parameters
    ----------
    axes
        Axes to draw on.
    groups
        Keys: ``pattern``, ``rat`` and ``by``.
    metric
        Name of the metric, drawn in its own unit.
    by
        The key that separates boxes on the x axis; None puts all at one place.
    named
        Add the patterns to the legend.
    """
    places = list(dict.fromkeys(_place(group, by) for group in groups))
    series = list(dict.fromkeys((group.keys["pattern"], group.keys["rat"]) for group in groups))
    one_per_rat = len({rat for _, rat in series}) == len(series)
    width = 0.8 / len(series)
    labelled: set[str] = set()
    for group in groups:
        pattern, rat = group.keys["pattern"], group.keys["rat"]
        i = series.index((pattern, rat))
        label = figure.RAT_LABELS.get(rat, pattern) if one_per_rat else pattern
        colour = figure.RAT_COLOURS.get(rat, figure.GREY) if one_per_rat else f"C{i}"
        values = np.array(group.values[metric])
        x = places.index(_place(group, by)) + (i - (len(series) - 1) / 2) * width
        if len(values) == 0:
            continue
        fill = "none" if group.is_cpu_bound else colour
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
    if named and any(group.is_cpu_bound for group in groups):
        axes.plot([], [], "s", markerfacecolor="none", color=figure.GREY, label="hollow: CPU-bound")
    axes.set_xticks(range(len(places)), places)
    axes.grid(False, axis="x")
    axes.set_xlim(-0.6, len(places) - 0.4)
    shown = [value for group in groups for value in group.values[metric]]
    if any(shown):
        low, high = min(0.0, *shown), max(0.0, *shown)
        axes.set_ylim(low * _MARGIN, high * _MARGIN)


def _place(group: Group, by: str | None) -> str:
    return "" if by is None else str(group.keys[by])
