"""The whole page of one results folder or several."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mmwemu.core.files import sha256
from mmwemu.core.names import is_name
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.report.claims import JudgedClaim
from mmwemu.report.page.document import Choice, Page, Section, Source
from mmwemu.report.page.groups import CaseGroup, case_groups
from mmwemu.report.page.metric_figures import ecdf_figure, runs_figure
from mmwemu.report.page.run_table import run_table
from mmwemu.report.sentences import sentences
from mmwemu.report.summary import INTERVAL, Results, Table, interval, number
from mmwemu.report.view import Metric
from mmwemu.results.collection import Finished
from mmwemu.study.reporting.courses import courses
from mmwemu.study.reporting.places import places
from mmwemu.study.reporting.runs import Counting, Shown, load, shown

if TYPE_CHECKING:
    import pandas as pd

_COUNTING = Counting()


def make_page(
    folders: Sequence[Finished],
    command: Sequence[str],
    *,
    counting: Counting = _COUNTING,
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
    counting
        How runs are counted.
    title
        Of the page; empty for the names of the experiments.
    claims
        Claims and what was found of them, for a section of their own.
    on_progress
        Called with the progress.

    Raises
    ------
    InputError
        If a folder is given twice, has no runs, or its tables cannot be read.
    """
    on_progress(Progress("report", 0, 4))
    runs = load(folders)
    everything = shown(runs, folders, counting)
    on_progress(Progress("report", 1, 4))
    sections = [_section(part, each, counting) for part, each in enumerate(everything, 1)]
    on_progress(Progress("report", 2, 4))
    findings = [
        (each.view.title, sentences(each.view.metrics[0], each.groups, counting.average)) for each in everything
    ]
    over_time = courses(everything, folders)
    on_progress(Progress("report", 3, 4))
    names = list(dict.fromkeys(each.name for each in folders))
    begin, end = min(each.started for each in folders), max(each.ended for each in folders)
    page = Page(
        title=title or f"{', '.join(names)}: results",
        lead=f"{len(runs)} runs, from {begin:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M} UTC",
        findings=findings,
        cautions=_cautions(runs, everything, counting),
        sections=sections,
        places=places(everything, folders),
        courses=over_time,
        runs=run_table(_with_cases(runs, everything), {each.name: each.view.metrics for each in everything}),
        sources=[_source(folder, runs[runs["source"] == index]) for index, folder in enumerate(folders)],
        command=shlex.join(command),
        claims=claims,
    )
    on_progress(Progress("report", 4, 4))
    return page


def _section(part: int, each: Shown, counting: Counting) -> Section:
    choices = []
    for place, metric in enumerate(each.view.metrics, 1):
        file = f"{each.name}-{metric.column}"
        # A command names its metrics as it likes.
        file = file if is_name(file) and is_name(each.name) else f"figure-{part}-{place}"
        for how, figure in (
            ("every run", runs_figure(file, metric, each.groups, counting.average)),
            ("distribution (ECDF)", ecdf_figure(f"{file}-ecdf", metric, each.groups)),
        ):
            if figure:
                choices.append(Choice(metric.title, how, figure))
    tables = [("Averages", _table(each.view.metrics, each.groups, counting))]
    if starts := _fixed_starts(each.runs):
        results = Results(each.runs, lambda _: {}, counting.exclude_cpu_bound, counting.average)
        first = each.view.metrics[:1]
        split = case_groups(results, [*each.view.cases, "start_at_s"], [metric.column for metric in first])
        tables.append((f"Averages of each start ({starts})", _table(first, split, counting)))
    return Section(each.name, each.view.title, choices, tables)


def _fixed_starts(runs: pd.DataFrame) -> str:
    """Return the starts in words where there are several that were not drawn at random, else nothing."""
    starts = sorted(set(runs["start_at_s"]))
    if len(starts) < 2 or Results(runs, lambda _: {}).has_random_starts:
        return ""
    return f"{', '.join(f'{start:g}' for start in starts[:8])}{' ...' if len(starts) > 8 else ''} s"


def _table(metrics: Sequence[Metric], groups: Sequence[CaseGroup], counting: Counting) -> Table:
    cases = len({each.case for each in groups}) > 1
    rows = []
    for metric in metrics:
        show = _shower(metric)
        for each in groups:
            value = show(each.group.metrics[metric.column].value)
            spread = interval(each.group, metric.column, show)
            counts = each.group.runs, ", ".join(each.group.notes())
            names = *([each.case] if cases else []), each.place, each.series
            rows.append((metric.title, *names, value, spread, *counts))
    names = ("metric", *(["case"] if cases else []), "over", "RAT")
    right = range(len(names), len(names) + 3)
    return Table((*names, counting.average, INTERVAL, "runs", ""), rows, right)


def _shower(metric: Metric) -> Callable[[float], str]:
    def show(value: float) -> str:
        shown = abs(value * metric.scale)
        return number(value, 0 if shown >= 1000 else 1 if shown >= 100 else 2 if shown >= 1 else 3, metric.scale)

    return show


def _with_cases(runs: pd.DataFrame, everything: Sequence[Shown]) -> pd.DataFrame:
    """Return runs with the column ``case`` and the names of patterns as in the figures."""
    named = runs.assign(case="")
    for each in everything:
        named.loc[each.runs.index, "pattern"] = each.runs["pattern"]
        for group in each.groups:
            named.loc[group.runs.index, "case"] = group.case
    return named


def _cautions(runs: pd.DataFrame, everything: Sequence[Shown], counting: Counting) -> list[str]:
    """Return the counts of runs that speak against the results, those that are 0 included, and how starts count."""
    total = len(runs)
    bound = "left out of averages on request" if counting.exclude_cpu_bound else "they count"
    counts = {
        "were not valid: the link missed its tolerance; they are left out of averages": int((~runs["valid"]).sum()),
        "failed; they are left out of averages": int((runs["status"] == "failed").sum()),
        "reached the time limit, which is a result like any other": int((runs["status"] == "timeout").sum()),
        f"were CPU-bound: the computer rather than the link decided; {bound}": int(
            runs["cpu_bound"].astype(bool).sum()
        ),
    }
    found = [f"{count} of {total} runs {what}." for what, count in counts.items()]
    for each in everything:
        if starts := _fixed_starts(each.runs):
            found.append(
                f"{each.view.title} from {starts} of a pattern form one group: their intervals cover the differences "
                "between the starts as well as chance."
            )
    return found


def _source(folder: Finished, runs: pd.DataFrame) -> Source:
    facts = {
        "experiment": folder.name,
        "command": shlex.join(folder.command),
        "started": f"{folder.started:%Y-%m-%d %H:%M:%S} UTC",
        "ended": f"{folder.ended:%Y-%m-%d %H:%M:%S} UTC",
        "runs": f"{folder.runs}, {folder.invalid_runs} of them not valid",
        **{str(name): str(value) for name, value in folder.system.items()},
        "SHA-256 of manifest.json": sha256(folder.path / "manifest.json"),
        "SHA-256 of runs.parquet": sha256(folder.path / "runs.parquet"),
    }
    patterns = sorted(set(zip(runs["pattern_file"].astype(str), runs["pattern_sha256"].astype(str), strict=True)))
    return Source(folder.path, facts, json.dumps(folder.asked, indent=2, default=str), patterns)
