"""Kept results: read, asked and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ResultsFolder:
    """The results in a folder.

    Attributes
    ----------
    folder
        The results folder, described in docs/formats/results.md.
    runs
        A row a run.
    """

    folder: Path
    runs: pd.DataFrame

    def table(self, name: str, run: int | None = None) -> pd.DataFrame:
        """Return a table of the folder, such as ``link``, of one run or of all.

        Raises
        ------
        InputError
            If there is no such table.
        """
        from mmwemu.results import store

        return store.load_table(self.folder, name, run)


def read_results(folder: str | Path) -> ResultsFolder:
    """Return the results in a folder, those of an interrupted experiment too.

    Raises
    ------
    InputError
        If it is no results folder, or made by a newer mmwemu.
    """
    from mmwemu.results import store

    return ResultsFolder(Path(folder), store.load(Path(folder)))


def query_results(sql: str, *folders: str | Path) -> pd.DataFrame:
    """Return what a query in SQL gives over the tables of finished results folders, with a column ``folder`` more.

    Parameters
    ----------
    sql
        A select in DuckDB's SQL, such as ``select pattern, avg(goodput_bps) from runs group by pattern``.
    folders
        Results folders; none for all in ``results/``.

    Raises
    ------
    InputError
        If the query or a folder cannot be read.
    """
    from mmwemu.results import collection, query

    found = [collection.open_folder(Path(each)) for each in folders] or collection.find(Path("results"))[0]
    return query.query(sql, found)


def compare_rats(runs: pd.DataFrame, metric: str, by: Sequence[str] = ()) -> pd.DataFrame:
    """Return the ratio of a metric's mean over mmWave to that over LTE, with its 95 % interval from five runs on.

    Runs with equal start and repetition are compared in pairs; runs that failed or had a link that was not valid are
    left out.

    Parameters
    ----------
    runs
        Runs of one application, as `read_results` has them.
    metric
        A column of numbers above 0, such as ``goodput_bps``.
    by
        Columns whose values are compared apart, such as ``size_bytes``.

    Returns
    -------
    A row for each pair of patterns and value of ``by``: ``mmwave``, ``lte``, those, ``ratio``, ``low``, ``high``, ``n``
    and ``paired``.

    Raises
    ------
    InputError
        If the runs lack a column.
    """
    import pandas as pd

    from mmwemu.report.effects import effects
    from mmwemu.report.summary import Results, group_runs

    for column in (metric, *by):
        if column not in runs:
            raise InputError(column, f"is no column of the runs; there are: {', '.join(map(str, runs))}")
    groups = group_runs(Results(runs, lambda _: {}), ["pattern", "rat", *by], [metric])
    rows = [
        {"mmwave": each.mmwave, "lte": each.lte, **each.keys}
        | {"ratio": each.ratio.value, "low": each.ratio.low, "high": each.ratio.high}
        | {"n": each.ratio.n, "paired": each.paired}
        for each in effects(groups, [metric])
    ]
    return pd.DataFrame(rows, columns=["mmwave", "lte", *by, "ratio", "low", "high", "n", "paired"])
