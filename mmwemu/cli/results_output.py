"""The output of verbs that keep results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mmwemu.cli.output import print_json, print_table, say, warn
from mmwemu.core.errors import InvalidRunError, MmwemuError

if TYPE_CHECKING:
    from mmwemu.report.summary import Summary
    from mmwemu.results.records import Run
    from mmwemu.study.conduct import Experiment


def conclude(experiment: Experiment, *, as_json: bool) -> int:
    """Print the summary, as JSON or as tables, and return the exit code."""
    if as_json:
        runs = [run.row() for run in experiment.runs]
        print_json({"folder": experiment.folder, **experiment.summary.values, "runs": runs})
    else:
        print_summary(experiment.summary)
        say(f"results: {experiment.folder}")
    return exit_code(experiment.runs)


def print_summary(summary: Summary) -> None:
    """Print the tables and lines of a summary."""
    for table in summary.tables:
        print_table(table.header, table.rows, table.right)
    for line in summary.lines:
        say(line)


def exit_code(runs: Sequence[Run]) -> int:
    """Return 1 if a run failed, 4 if the link was not valid in one, else 0; print reasons for doubt on stderr."""
    invalid = [run.invalid_because for run in runs if not run.valid]
    if invalid:
        warn(f"the link was not valid in {len(invalid)} of {len(runs)} runs: {invalid[0]}")
    bound = [run.cpu_bound_because for run in runs if run.cpu_bound]
    if bound:
        warn(f"the computer held up {len(bound)} of {len(runs)} runs (CPU-bound): {bound[0]}")
    failed = [run.error for run in runs if run.status == "failed"]
    if failed:
        warn(f"{len(failed)} of {len(runs)} runs failed: {failed[0]}")
        return MmwemuError.exit_code
    return InvalidRunError.exit_code if invalid else 0
