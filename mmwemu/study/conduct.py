"""A whole experiment: its results folder, its runs, its summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mmwemu.apps.application import Application
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.report import generic_summary
from mmwemu.report.mix_figures import plot_mix
from mmwemu.report.statistics import Average
from mmwemu.report.summary import Results, Summary, Table
from mmwemu.report.variations import named_by_variation
from mmwemu.results import store
from mmwemu.results.records import Run
from mmwemu.results.writer import Writer
from mmwemu.study.experiment import run_application, run_together
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part

Patterns = Callable[[Path], Sequence[str | Path]]
"""Returns the files or names of patterns, given the results folder in progress, where it may write some."""


@dataclass(frozen=True)
class Experiment:
    """A finished experiment.

    Attributes
    ----------
    folder
        The results folder.
    runs
        The records, in order.
    summary
        Tables, and values for JSON; its figures are in ``plots/``.
    """

    folder: Path
    runs: list[Any]
    summary: Summary


def conduct(
    application: Application[Any],
    patterns: Sequence[str | Path] | Patterns,
    plan: ReplayPlan,
    folder: Path | None,
    command: Sequence[str],
    *,
    summarize: Callable[[Results, Path], Summary] | None = None,
    average: Average = "mean",
    exclude_cpu_bound: bool = False,
    retries: int = 0,
    on_progress: OnProgress = ignore,
) -> Experiment:
    """Run an application over patterns, keep the results, and summarize them.

    Parameters
    ----------
    application, plan
        As for `mmwemu.study.experiment.run_application`.
    patterns
        Files or names of shipped ones, or a function that returns them.
    folder
        Results folder to make; None for ``results/<UTC>-<application>``.
    command
        For the manifest: the command line.
    summarize
        Draws figures into a folder and returns tables; None for averages of all numbers of the record.
    average
        Which average the summary shows.
    exclude_cpu_bound
        Leave runs out of the averages in which the computer held up the programs.
    retries
        As for `mmwemu.study.experiment.run_replays`.
    on_progress
        Called with the progress.

    Raises
    ------
    As `mmwemu.study.experiment.run_application` and `mmwemu.results.store.create`.
    """
    name, asked = application.name, asdict(application)  # type: ignore[call-overload]
    with _results(name, folder, command, patterns, plan, asked) as (writer, path, files):
        runs = run_application(files, plan, application, writer, on_progress, retries)
        results = Results(named_by_variation(store.to_frame(runs)), writer.tables, exclude_cpu_bound, average)
        summary = (summarize or generic_summary.summarize)(results, writer.folder / "plots")
    return Experiment(path, runs, summary)


def conduct_mix(
    parts: Sequence[Part],
    patterns: Sequence[str | Path],
    plan: ReplayPlan,
    folder: Path | None,
    command: Sequence[str],
    *,
    on_progress: OnProgress = ignore,
) -> Experiment:
    """Run several applications at once over patterns; see `conduct`. A figure of each replay is in ``plots/``."""
    asked = {"applications": [{"name": part.application.name, **asdict(part)} for part in parts]}
    with _results("mix", folder, command, patterns, plan, asked) as (writer, path, files):
        runs = run_together(files, plan, parts, writer, on_progress)
        for number in range(1, runs[-1].replay + 1):
            group = [run for run in runs if run.replay == number]
            plot = writer.folder / "plots" / f"mix-{number}.png"
            plot_mix(writer.tables(group[0].run)["link"], group, plot, group[0].pattern)
    return Experiment(path, runs, Summary(tables=[_mix_table(runs)]))


@contextmanager
def _results(
    name: str,
    folder: Path | None,
    command: Sequence[str],
    patterns: Sequence[str | Path] | Patterns,
    plan: ReplayPlan,
    asked: Mapping[str, Any],
) -> Iterator[tuple[Writer, Path, Sequence[str | Path]]]:
    """Yield the results folder while it is filled, its name afterwards, and the patterns."""
    path = folder or store.default_path(Path("results"), name)
    everything: dict[str, Any] = {**asdict(plan), **asked}
    with store.create(store.Experiment(name, list(command), everything), path) as writer:
        files = patterns(writer.folder) if callable(patterns) else patterns
        everything["patterns"] = [str(file) for file in files]
        (writer.folder / "plots").mkdir()
        yield writer, path, files


def _mix_table(runs: Sequence[Run]) -> Table:
    rows = []
    patterns = named_by_variation(store.to_frame(runs))["pattern"]
    for run, pattern in zip(runs, patterns, strict=True):
        name = run.application if run.clients == 1 else f"{run.application} of client {run.client}"
        times = (f"{run.offset_s:g}", f"{run.duration_s:.2f}")
        rows.append((pattern, run.replay, name, *times, run.headline or "-", run.verdict))
    return Table(("pattern", "replay", "application", "from [s]", "took [s]", "result", ""), rows, (1, 3, 4))
