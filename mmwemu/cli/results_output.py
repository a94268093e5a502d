"""The results folder of a verb while it is filled, and the output at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.link_options import warnings_of
from mmwemu.cli.output import print_json, print_table, warn
from mmwemu.core.errors import InvalidRunError, MmwemuError

if TYPE_CHECKING:
    from mmwemu.report.summary import Summary
    from mmwemu.results.records import Run
    from mmwemu.results.store import Writer
    from mmwemu.study.plan import ReplayPlan


@contextmanager
def results_folder(
    name: str, output: Path | None, patterns: Sequence[str], plan: ReplayPlan, asked: Mapping[str, Any]
) -> Iterator[tuple[Writer, Path]]:
    """Yield the results folder of an experiment while it is filled, and the folder's name afterwards."""
    from mmwemu.results import store

    for warning in warnings_of(plan.setup, patterns):
        warn(warning)
    path = output or store.default_path(Path("results"), name)
    everything = {"patterns": list(patterns), **asdict(plan), **asked}
    with store.create(store.Experiment(name, sys.argv, everything), path) as writer:
        (writer.folder / "plots").mkdir()
        yield writer, path


def conclude(folder: Path, runs: Sequence[Run], summary: Summary, *, as_json: bool) -> int:
    """Print the summary, as JSON or as tables, and return the exit code."""
    if as_json:
        print_json({"folder": folder, **summary.values, "runs": [run.row() for run in runs]})
    else:
        print_summary(summary)
        click.echo(f"results: {folder}")
    return exit_code(runs)


def print_summary(summary: Summary) -> None:
    """Print the tables and lines of a summary."""
    for table in summary.tables:
        print_table(table.header, table.rows, table.right)
    for line in summary.lines:
        click.echo(line)


def exit_code(runs: Sequence[Run]) -> int:
    """Return 1 if a run failed, 4 if the link was not valid in one, else 0; print the reason on stderr."""
    invalid = [run.invalid_because for run in runs if not run.valid]
    if invalid:
        warn(f"the link was not valid in {len(invalid)} of {len(runs)} runs: {invalid[0]}")
    failed = [run.error for run in runs if run.status == "failed"]
    if failed:
        warn(f"{len(failed)} of {len(runs)} runs failed: {failed[0]}")
        return MmwemuError.exit_code
    return InvalidRunError.exit_code if invalid else 0
