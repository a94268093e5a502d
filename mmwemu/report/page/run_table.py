"""The table of all runs of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mmwemu.report.page.document import Column, RunTable
from mmwemu.report.page.figure import plain
from mmwemu.report.view import Metric

if TYPE_CHECKING:
    import pandas as pd

_FIRST = (
    Column("label", "run", False),
    Column("application", "application", False),
    Column("pattern", "pattern", False),
    Column("case", "case", False),
    Column("start_at_s", "from [s]", True),
    Column("repetition", "repetition", True),
    Column("verdict", "status", False),
    Column("duration_s", "took [s]", True),
)


def run_table(runs: pd.DataFrame, metrics: dict[str, Sequence[Metric]]) -> RunTable:
    """Return the table of runs; ``metrics`` has those of each application.

    The columns ``label``, ``case`` and ``verdict`` are there already.
    """
    columns = list(_FIRST)
    values: dict[str, list[Any]] = {column.name: [plain(value) for value in runs[column.name]] for column in _FIRST}
    for application, own in metrics.items():
        theirs = runs["application"] == application
        for metric in own:
            if metric.column == "duration_s" or metric.column not in runs:
                continue
            name = f"{application}.{metric.column}"
            columns.append(Column(name, metric.title, True, application))
            shown = runs[metric.column].where(theirs).astype(float) * metric.scale
            values[name] = [plain(value) for value in shown]
    values["because"] = [plain(value) for value in runs["because"]]
    return RunTable(columns, values)
