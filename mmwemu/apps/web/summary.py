"""Summary of page loads by site and pattern: groups, table, figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from mmwemu.apps.web.differences import Difference, differences
from mmwemu.apps.web.figures import plot_metrics, plot_speed_index
from mmwemu.apps.web.metrics import METRICS
from mmwemu.report.effects import effect_table, effects
from mmwemu.report.summary import INTERVAL, Group, Results, Summary, Table, group_runs, interval, number

_IN_TABLE = ("ttfb_s", "first_paint_s", "dom_interactive_s", "on_load_s", "above_the_fold_s")


def summarize(results: Results, plots: Path) -> Summary:
    """Draw speed-index.png and metrics.png in a folder; return the table of page loads and the differences."""
    groups = page_groups(results)
    apart = differences(results.runs)
    plot_speed_index(groups, plots / "speed-index.png", "Speed Index")
    plot_metrics(groups, plots / "metrics.png", "Page load metrics")
    found = effects(groups, list(METRICS))
    values = {
        "pages": [group.to_json() for group in groups],
        "differences": [asdict(each) for each in apart],
        "effects": [each.to_json() for each in found],
    }
    tables = [page_table(groups), *effect_table(found, {"speed_index_s": "Speed Index"})]
    return Summary(values, tables, [_sentence(each) for each in apart])


def page_groups(results: Results) -> list[Group]:
    """Return page loads grouped by site and pattern."""
    return group_runs(results, ["site", "pattern", "rat"], list(METRICS))


def page_table(groups: Sequence[Group]) -> Table:
    """Return the printed table: medians, and the average of Speed Index with its interval."""
    rows = []
    for group in groups:
        index = group.metrics["speed_index_s"].value
        spread = interval(group, "speed_index_s", lambda value: number(value, 2))
        notes = group.notes()
        if failed := _requests_failed(group):
            notes.append(f"{failed} requests of a load failed")
        medians = [number(group.median(name), 2) for name in _IN_TABLE]
        names = (group.keys["site"], group.keys["pattern"])
        rows.append((*names, *medians, number(index, 2), spread, group.runs, ", ".join(notes)))
    header = ("site", "pattern", "TTFB [s]", "paint", "interactive", "onLoad", "ATF", "Speed Index", INTERVAL)
    return Table((*header, "runs", ""), rows, range(2, 10))


def _requests_failed(group: Group) -> int:
    """Return the largest number of failed requests in one good load."""
    counts = pd.to_numeric(group.good["failed_requests"]).fillna(0)
    return int(counts.max()) if len(counts) else 0


def _sentence(each: Difference) -> str:
    """Return a sentence on the difference in Speed Index between a pattern and the reference."""
    apart = each.difference
    found = (
        f"{apart.value:+.2f} s (95 %: {apart.low:+.2f} to {apart.high:+.2f}, {apart.n} pairs)"
        if each.is_found
        else f"no difference found, {each.bound_s:.2f} s at most (95 %, {apart.n} pairs)"
    )
    return f"{each.site}: Speed Index over {each.pattern} against {each.reference}: {found}"
