"""The runs of several results folders as one table, and the view of each application."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mmwemu.apps import registry
from mmwemu.core.errors import InputError
from mmwemu.report.generic_summary import metrics_of
from mmwemu.report.page.groups import CaseGroup, case_groups
from mmwemu.report.statistics import Average
from mmwemu.report.summary import Results
from mmwemu.report.variations import named_by_variation
from mmwemu.report.view import Metric, View
from mmwemu.results import store
from mmwemu.results.collection import Finished

if TYPE_CHECKING:
    import pandas as pd

_MOST_METRICS = 16
# Columns that `load` adds.
_ADDED = ("label", "source", "pattern_file", "because", "verdict")


@dataclass(frozen=True)
class Counting:
    """How runs are counted: which average, and whether CPU-bound runs are left out."""

    average: Average = "mean"
    exclude_cpu_bound: bool = False


@dataclass(frozen=True)
class Shown:
    """The runs of one application, how they are shown, and their groups."""

    name: str
    view: View
    runs: pd.DataFrame
    groups: Sequence[CaseGroup]


def load(folders: Sequence[Finished]) -> pd.DataFrame:
    """Return all runs as one table.

    ``label`` names each, ``source`` is the index of its folder, ``pattern_file`` the name of its pattern;
    ``verdict`` and ``because`` tell what speaks against it.

    Raises
    ------
    InputError
        If a folder is given twice, its runs cannot be read, or there are none.
    """
    import pandas as pd

    if len({each.path.resolve() for each in folders}) < len(folders):
        raise InputError("results", "have a folder twice; its runs would count twice")
    parts = []
    for index, folder in enumerate(folders):
        part = store.load(folder.path)
        prefix = f"{index + 1}:" if len(folders) > 1 else ""
        labels = [f"{prefix}{run}" for run in part["run"]]
        if len(part):
            parts.append(part.assign(label=labels, source=index, pattern_file=part["pattern"]))
    if not parts:
        raise InputError(", ".join(str(each.path) for each in folders), "has no runs")
    # Columns without any value would take part in the choice of the others' types.
    runs = pd.concat([part.dropna(axis="columns", how="all") for part in parts], ignore_index=True)
    for name in dict.fromkeys(str(name) for part in parts for name in part if name not in runs):
        runs[name] = None
    reasons = runs[["error", "invalid_because", "cpu_bound_because"]].fillna("").astype(str)
    runs["because"] = ["; ".join(text for text in row if text) for row in reasons.itertuples(index=False)]
    doubts = zip(runs["status"], runs["valid"], runs["cpu_bound"], strict=True)
    runs["verdict"] = [
        ", ".join([str(status), *([] if valid else ["not valid"]), *(["CPU-bound"] if bound else [])])
        for status, valid, bound in doubts
    ]
    return runs


def shown(runs: pd.DataFrame, folders: Sequence[Finished], counting: Counting) -> list[Shown]:
    """Return the runs by application, grouped.

    What varies within an application is added to the names of its patterns, and so is the folder where several have the
    same group.

    Raises
    ------
    InputError
        If runs lack what their application gives them.
    """
    found = []
    for name, own in runs.groupby("application", sort=False):
        try:
            view = _view(str(name), own)
            named = _by_folder(named_by_variation(own), view, folders)
            results = Results(named, lambda _: {}, counting.exclude_cpu_bound, counting.average)
            groups = case_groups(results, view.cases, [metric.column for metric in view.metrics])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            where = ", ".join(str(folders[index].path) for index in sorted(set(own["source"])))
            problem = f"has no runs that {name} can read ({type(error).__name__}: {error}); was it edited?"
            raise InputError(where, problem) from None
        found.append(Shown(str(name), view, named, groups))
    return found


def _view(name: str, runs: pd.DataFrame) -> View:
    """Return the view of an application, with metrics that its runs have; generic where it is no longer installed."""
    make = registry.load(name).view if name in registry.names() else None
    view = make() if make else View()
    metrics = [metric for metric in view.metrics if metric.column in runs]
    if not metrics:
        known = (*_ADDED, *view.leave_out, *view.cases)
        metrics = [Metric(column) for column in metrics_of(runs) if column not in known][:_MOST_METRICS]
    metrics = [metric for metric in metrics if runs[metric.column].notna().any()] or [Metric("duration_s")]
    cases = [column for column in view.cases if column in runs]
    return replace(view, title=view.title or name, metrics=metrics, cases=cases)


def _by_folder(runs: pd.DataFrame, view: View, folders: Sequence[Finished]) -> pd.DataFrame:
    """Return runs with the folder added to the name of the pattern where several folders have the same group."""
    sources = runs.groupby(["pattern", "rat", *view.cases], dropna=False)["source"].transform("nunique")
    if (sources <= 1).all():
        return runs
    names = [folder.path.name for folder in folders]
    if len(set(names)) < len(names):
        names = [str(folder.path) for folder in folders]
    patterns = [f"{pattern}, {names[source]}" for pattern, source in zip(runs["pattern"], runs["source"], strict=True)]
    return runs.assign(pattern=patterns)
