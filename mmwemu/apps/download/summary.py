"""Summary of goodput by file size: groups, table and figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mmwemu.core import figure
from mmwemu.core.units import format_size, mbps
from mmwemu.report.effects import effect_table, effects
from mmwemu.report.summary import INTERVAL, Group, Results, Summary, Table, group_runs, interval, number, start_of

_MBPS = mbps(1.0)


def summarize(results: Results, plots: Path) -> Summary:
    """Draw goodput.png in a folder and return the table of goodput."""
    groups = goodput_groups(results)
    found = effects(groups, ["goodput_bps"])
    plot_goodput(groups, plots / "goodput.png", f"Downloads, {results.average} and each run")
    values = {"goodput": [group.to_json() for group in groups], "effects": [each.to_json() for each in found]}
    return Summary(values, [goodput_table(groups), *effect_table(found, {"goodput_bps": "goodput"})])


def goodput_groups(results: Results) -> list[Group]:
    """Return downloads grouped by pattern, size, protocol and fixed start."""
    runs = results.runs
    before = {} if "protocol" in runs else {"protocol": "http"}  # in old folders
    keys = ["pattern", "rat", "size_bytes", "protocol", *([] if results.has_random_starts else ["start_at_s"])]
    return group_runs(replace(results, runs=runs.assign(**before)), keys, ["goodput_bps"])


def goodput_table(groups: Sequence[Group]) -> Table:
    """Return the printed table of goodput."""
    rows = []
    for group in groups:
        rows.append(
            (
                group.keys["pattern"],
                format_size(group.keys["size_bytes"]),
                group.keys["protocol"],
                start_of(group),
                number(group.metrics["goodput_bps"].value, 1, _MBPS),
                interval(group, "goodput_bps", lambda value: number(value, 1, _MBPS)),
                group.runs,
                ", ".join(group.notes()),
            )
        )
    return Table(
        ("pattern", "size", "protocol", "from", "goodput [Mbit/s]", INTERVAL, "runs", ""), rows, (1, 3, 4, 5, 6)
    )


@figure.styled
def plot_goodput(groups: Sequence[Group], path: Path, title: str = "") -> None:
    """Draw average goodput by file size.

    A bar for each pattern and protocol, every run as a dot, 95 % intervals as whiskers.
    """
    drawing, axes = figure.new(7.0, 3.8)
    sizes = list(dict.fromkeys(group.keys["size_bytes"] for group in groups))
    series = list(dict.fromkeys(_series_of(group) for group in groups))
    several_protocols = len({one.protocol for one in series}) > 1
    several_starts = len({one.start_at_s for one in series}) > 1
    one_per_rat = len({one.rat for one in series}) == len(series)
    width = 0.8 / len(series)
    for i, one in enumerate(series):
        label = figure.RAT_LABELS.get(one.rat, one.pattern) if one_per_rat else one.pattern
        label += f", {one.protocol}" if several_protocols else ""
        label += f", from {one.start_at_s:g} s" if several_starts else ""
        colour = figure.RAT_COLOURS.get(one.rat, figure.GREY) if one_per_rat else f"C{i}"
        mine = [group for group in groups if _series_of(group) == one]
        axes.plot([], [], "s", color=colour, label=label)
        for group in mine:
            x = sizes.index(group.keys["size_bytes"]) + (i - (len(series) - 1) / 2) * width
            estimate = group.metrics["goodput_bps"]
            fill = "none" if group.is_cpu_bound else colour
            axes.bar(x, mbps(estimate.value), width * 0.9, facecolor=fill, edgecolor=colour)
            if estimate.has_interval:
                arms = [[mbps(estimate.value - estimate.low)], [mbps(estimate.high - estimate.value)]]
                axes.errorbar(x, mbps(estimate.value), yerr=arms, color="black", capsize=4, linewidth=1.2)
            dots = np.array(group.values["goodput_bps"])
            spread = np.linspace(-0.2, 0.2, len(dots)) * width if len(dots) > 1 else np.zeros(len(dots))
            axes.scatter(x + spread, mbps(dots), s=10, color="white", edgecolor="black", linewidth=0.6, zorder=3)
    if any(group.is_cpu_bound for group in groups):
        axes.plot([], [], "s", markerfacecolor="none", color=figure.GREY, label="hollow: CPU-bound")
    axes.set_xticks(range(len(sizes)), [format_size(size) for size in sizes])
    axes.grid(False, axis="x")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("file size")
    axes.set_ylabel("goodput [Mbit/s]")
    axes.set_title(title)
    figure.add_legend(drawing, 2)
    figure.save(drawing, path)


class _Series(NamedTuple):
    """What bars of one colour have in common."""

    pattern: str
    rat: str
    protocol: str
    start_at_s: float


def _series_of(group: Group) -> _Series:
    keys = group.keys
    return _Series(keys["pattern"], keys["rat"], keys["protocol"], keys.get("start_at_s", 0.0))
