"""The report page of results folders: what they hold, arranged by the applications' views."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mmwemu.apps import registry
from mmwemu.core.errors import InputError
from mmwemu.core.files import sha256
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.report.claims import JudgedClaim
from mmwemu.report.generic_summary import metrics_of
from mmwemu.report.page.document import Choice, Page, Section, Source
from mmwemu.report.page.groups import CaseGroup, case_groups
from mmwemu.report.page.run_table import run_table
from mmwemu.report.sentences import sentences
from mmwemu.report.statistics import Average
from mmwemu.report.summary import INTERVAL, Results, Table, interval, number
from mmwemu.report.variations import named_by_variation
from mmwemu.report.view import Metric, View
from mmwemu.results import store
from mmwemu.results.collection import Finished

if TYPE_CHECKING:
    import pandas as pd

_MOST_METRICS = 16
_MOST_SENTENCES = 24


def make_page(
    folders: Sequence[Finished],
    command: Sequence[str],
    *,
    average: Average = "mean",
    exclude_cpu_bound: bool = False,
    title: str = "",
    claims: Sequence[JudgedClaim] = (),
    on_progress: OnProgress = ignore,
) -> Page:
    """Return the page of one results folder or several.

    Parameters
    ----------
    folders
        The folders, each once.
    command
        The command line, for the page.
    average, exclude_cpu_bound
        As for `mmwemu.study.review.summarize`.
    title
        Of the page; empty for the names of the experiments.
    claims
        Claims and what was found of them, for a section of their own.
    on_progress
        Called with the progress.

    Raises
    ------
    InputError
        If a folder is given twice, or its tables cannot be read.
    """
    if len({each.path.resolve() for each in folders}) < len(folders):
        raise InputError("results", "have a folder twice; its runs would count twice")
    on_progress(Progress("read", 0, len(folders)))
    runs = _load(folders)
    views = {str(name): _view(str(name), part) for name, part in runs.groupby("application", sort=False)}
    sections, said, everything = [], [], []
    for i, (name, view) in enumerate(views.items()):
        on_progress(Progress("figures", i, len(views)))
        own = runs[runs["application"] == name]
        try:
            groups = _groups(own, view, average, exclude_cpu_bound)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            where = ", ".join(str(each.path) for each in folders)
            problem = f"has no runs that {name} can read ({type(error).__name__}: {error}); was it edited?"
            raise InputError(where, problem) from None
        sections.append(_section(name, view, groups, average))
        said += sentences(view.metrics[0], groups, average)
        everything += groups
    runs["case"] = ""
    for group in everything:
        runs.loc[group.runs.index, "case"] = group.case
    names = list(dict.fromkeys(each.name for each in folders))
    begin, end = min(each.started for each in folders), max(each.ended for each in folders)
    return Page(
        title=title or f"{', '.join(names)}: results",
        lead=f"{len(runs)} runs, from {begin:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M} UTC",
        sentences=_shortened(said),
        cautions=_cautions(runs),
        sections=sections,
        places=(),
        courses=(),
        runs=run_table(runs, {name: view.metrics for name, view in views.items()}),
        sources=[_source(each, runs) for each in folders],
        command=shlex.join(command),
        claims=claims,
    )


def _load(folders: Sequence[Finished]) -> pd.DataFrame:
    """Return all runs as one table; ``label`` names each, and patterns have what varies in their names."""
    import pandas as pd

    parts = []
    for number_of, folder in enumerate(folders, 1):
        part = store.load(folder.path)
        if part.empty:
            continue
        prefix = f"{number_of}/" if len(folders) > 1 else ""
        labels = [f"{prefix}{run}" for run in part["run"]]
        parts.append(part.assign(label=labels, source=number_of, shipped_pattern=part["pattern"]))
    if not parts:
        raise InputError(", ".join(str(each.path) for each in folders), "has no runs")
    runs = named_by_variation(pd.concat(parts, ignore_index=True))
    reasons = runs[["error", "invalid_because", "cpu_bound_because"]].fillna("").astype(str)
    runs["because"] = ["; ".join(text for text in row if text) for row in reasons.itertuples(index=False)]
    doubts = zip(runs["status"], runs["valid"], runs["cpu_bound"], strict=True)
    runs["verdict"] = [
        ", ".join([str(status), *([] if valid else ["not valid"]), *(["CPU-bound"] if bound else [])])
        for status, valid, bound in doubts
    ]
    return runs


def _view(name: str, runs: pd.DataFrame) -> View:
    """Return the view of an application, with metrics that its runs have; generic where it is no longer installed."""
    make = registry.load(name).view if name in registry.names() else None
    view = make() if make else View()
    metrics = [metric for metric in view.metrics if metric.column in runs]
    if not metrics:
        extra = ("label", "source", "shipped_pattern", "because", "verdict", *view.leave_out)
        metrics = [Metric(column) for column in metrics_of(runs) if column not in extra][:_MOST_METRICS]
    metrics = [metric for metric in metrics if runs[metric.column].notna().any()] or [Metric("duration_s")]
    cases = [column for column in view.cases if column in runs]
    return replace(view, title=view.title or name, metrics=metrics, cases=cases)


def _groups(runs: pd.DataFrame, view: View, average: Average, exclude_cpu_bound: bool) -> list[CaseGroup]:
    results = Results(runs, lambda _: {}, exclude_cpu_bound, average)
    return case_groups(results, view.cases, [metric.column for metric in view.metrics])


def _section(name: str, view: View, groups: Sequence[CaseGroup], average: Average) -> Section:
    from mmwemu.report.page.metric_figures import ecdf_figure, runs_figure

    choices = []
    for metric in view.metrics:
        file = f"{name}-{metric.column}"
        for how, figure in (
            ("every run", runs_figure(file, metric, groups, average)),
            ("distribution (ECDF)", ecdf_figure(f"{file}-ecdf", metric, groups)),
        ):
            if figure:
                choices.append(Choice(metric.title, how, figure))
    return Section(name, view.title, choices, [("Averages", _table(view.metrics, groups, average))])


def _table(metrics: Sequence[Metric], groups: Sequence[CaseGroup], average: Average) -> Table:
    rows = []
    for each in groups:
        for i, metric in enumerate(metrics):
            if not each.values(metric.column):
                continue
            show = _shower(metric)
            head = (each.case, each.place, each.series) if i == 0 else ("", "", "")
            tail = (each.group.runs, ", ".join(each.group.notes())) if i == 0 else ("", "")
            estimate = each.group.metrics[metric.column]
            rows.append((*head, metric.title, show(estimate.value), interval(each.group, metric.column, show), *tail))
    return Table(("case", "over", "", "metric", average, INTERVAL, "runs", ""), rows, (4, 5, 6))


def _shower(metric: Metric) -> Any:
    def show(value: float) -> str:
        shown = value * metric.scale
        return number(shown, 0 if abs(shown) >= 1000 else 1 if abs(shown) >= 100 else 2 if abs(shown) >= 1 else 3)

    return show


def _shortened(said: list[str]) -> list[str]:
    if len(said) <= _MOST_SENTENCES:
        return said
    return [*said[:_MOST_SENTENCES], f"{len(said) - _MOST_SENTENCES} more comparisons are in the tables below."]


def _cautions(runs: pd.DataFrame) -> list[str]:
    """Return the counts of runs that speak against the results, those that are 0 included."""
    total = len(runs)
    counts: Mapping[str, int] = {
        "were over a link that missed its tolerance (not valid; left out of averages)": int((~runs["valid"]).sum()),
        "failed (left out of averages)": int((runs["status"] == "failed").sum()),
        "reached their time limit (a result like any other)": int((runs["status"] == "timeout").sum()),
        "were CPU-bound: the computer rather than the link decided": int(runs["cpu_bound"].astype(bool).sum()),
    }
    return [f"{count} of {total} runs {what}." for what, count in counts.items()]


def _source(folder: Finished, runs: pd.DataFrame) -> Source:
    facts = {
        "experiment": folder.name,
        "command": shlex.join(folder.command),
        "started": f"{folder.started:%Y-%m-%d %H:%M:%S} UTC",
        "ended": f"{folder.ended:%Y-%m-%d %H:%M:%S} UTC",
        "runs": f"{folder.runs}, {folder.invalid_runs} not valid",
        **{str(name): str(value) for name, value in folder.system.items()},
        "SHA-256 of manifest.json": sha256(folder.path / "manifest.json"),
        "SHA-256 of runs.parquet": sha256(folder.path / "runs.parquet"),
    }
    own = runs[runs["label"].notna()]
    patterns = sorted(set(zip(own["shipped_pattern"].astype(str), own["pattern_sha256"].astype(str), strict=True)))
    return Source(folder.path, facts, json.dumps(folder.asked, indent=2, default=str), patterns)
