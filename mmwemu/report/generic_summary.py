"""Summary of applications without one of their own: averages with intervals and box plots of all numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mmwemu.core import figure
from mmwemu.link.profile import LinkProfile
from mmwemu.report.boxes import draw_boxes
from mmwemu.report.effects import effect_table, effects
from mmwemu.report.summary import INTERVAL, Group, Results, Summary, Table, group_runs, interval, start_of
from mmwemu.results.records import Run

if TYPE_CHECKING:
    import pandas as pd

_MOST_PANELS = 12
_UNITS = {
    "bps": "bit/s", "s": "s", "ms": "ms", "us": "us", "ns": "ns", "bytes": "bytes", "packets": "packets", "db": "dB",
    "ratio": "ratio", "count": "count", "percent": "%", "mb": "MB", "kb": "kB", "mbps": "Mbit/s", "hz": "Hz",
}  # fmt: skip


def summarize(results: Results, plots: Path, *, leave_out: Sequence[str] = ()) -> Summary:
    """Draw metrics.png into a folder and return a table with a row for each pattern and metric.

    Parameters
    ----------
    results
        Of one application.
    plots
        The folder.
    leave_out
        Columns that are no metrics although they are numbers.
    """
    metrics = [name for name in metrics_of(results.runs) if name not in leave_out]
    keys = ["pattern", "rat", *([] if results.has_random_starts else ["start_at_s"])]
    groups = group_runs(results, keys, metrics)
    found = effects(groups, metrics)
    plot_metrics(groups, metrics, plots / "metrics.png")
    values = {"groups": [group.to_json() for group in groups], "effects": [each.to_json() for each in found]}
    tables = [_table(groups, metrics, results.average), *effect_table(found, {name: _label(name) for name in metrics})]
    return Summary(values, tables)


def metrics_of(runs: pd.DataFrame) -> list[str]:
    """Return ``duration_s`` and the application's own numeric columns."""
    common = {field.name for kind in (Run, LinkProfile) for field in fields(kind)}
    own = [
        name
        for name in runs.columns
        if name not in common
        and runs[name].notna().any()
        and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in runs[name].dropna())
    ]
    return ["duration_s", *own]


def unit_of(name: str) -> tuple[str, str]:
    """Split a column's name into words and unit: ``page_load_s`` is "page load" in s; the unit may be empty."""
    words, _, suffix = name.rpartition("_")
    if words and suffix in _UNITS:
        return words.replace("_", " "), _UNITS[suffix]
    return name.replace("_", " "), ""


@figure.styled
def plot_metrics(groups: Sequence[Group], metrics: Sequence[str], path: Path) -> None:
    """Draw a panel of boxes for each of the first `_MOST_PANELS` metrics, with every run as a dot."""
    shown = [name for name in metrics if any(group.values[name] for group in groups)][:_MOST_PANELS]
    if not shown:
        return
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    drawing, panels = figure.new(3.2 * columns + 0.6, 2.8 * rows, rows=rows, columns=columns)
    flat = np.ravel(np.array(panels, dtype=object))
    for i, axes in enumerate(flat):
        if i >= len(shown):
            axes.set_visible(False)
            continue
        draw_boxes(axes, groups, shown[i], named=i == 0)
        words, unit = unit_of(shown[i])
        axes.set_title(words)
        axes.set_ylabel(unit)
        axes.tick_params(axis="x", length=0)
    if shown:
        drawing.legend(loc="outside upper right", ncols=2)
    figure.save(drawing, path)


def _label(name: str) -> str:
    words, unit = unit_of(name)
    return f"{words} [{unit}]" if unit else words


def _table(groups: Sequence[Group], metrics: Sequence[str], average: str) -> Table:
    rows = []
    for group in groups:
        for i, name in enumerate(name for name in metrics if group.values[name]):
            head = (group.keys["pattern"], start_of(group)) if i == 0 else ("", "")
            notes = ", ".join(group.notes()) if i == 0 else ""
            runs = str(group.runs) if i == 0 else ""
            value = _short(group.metrics[name].value)
            rows.append((*head, _label(name), value, interval(group, name, _short), runs, notes))
        if not any(group.values.values()):
            rows.append(
                (group.keys["pattern"], start_of(group), "-", "-", "-", str(group.runs), ", ".join(group.notes()))
            )
    return Table(("pattern", "from", "metric", average, INTERVAL, "runs", ""), rows, (1, 3, 4, 5))


def _short(value: float) -> str:
    """Return a number with four significant digits."""
    if value != value:
        return "-"
    text = f"{value:.4g}"
    return f"{value:.0f}" if "e+" in text else text
