"""Options that the verbs with a verdict share, and what they print and write."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import cloup

from mmwemu.apps.option_types import Duration, FilePath, Text
from mmwemu.cli.output import json_option, print_json, print_table, say, warn
from mmwemu.core.errors import InputError, MmwemuError

if TYPE_CHECKING:
    from mmwemu.check.report import Inconclusive, Report

_SUMMARY = "GITHUB_STEP_SUMMARY"


def verdict_options(*, has_budget: bool = True) -> Callable[[Any], Any]:
    """Return a decorator that adds the options of thresholds, budget and what is written of the verdict."""
    budget = cloup.option("--budget", "budget_s", type=Duration(), default="10m", show_default=True,
                          help="Time until there has to be a verdict.")  # fmt: skip
    group = cloup.option_group(
        "Verdict",
        cloup.option("--expect", multiple=True, type=Text(), metavar="'METRIC <= NUMBER'",
                     help="What has to hold, such as 'speed_index_s p50 <= 2.5'; may be given more than once."),
        *([budget] if has_budget else []),
        cloup.option("--inconclusive", type=click.Choice(["inconclusive", "pass", "fail"]), default="inconclusive",
                     show_default=True, help="What an inconclusive check counts as; its own exit code is 4."),
        cloup.option("--junit", type=FilePath(), metavar="FILE", help="Write the verdicts as JUnit XML."),
        cloup.option("--summary", type=FilePath(), metavar="FILE",
                     help="Write them as Markdown.  [default: appended to the file that GITHUB_STEP_SUMMARY names]"),
        cloup.option("-o", "--output", type=FilePath(), help="Results folder.  [default: results/UTC-NAME]"),
    )  # fmt: skip

    def add(function: Any) -> Any:
        return group(json_option(function))

    return add


def outputs(*paths: Path | None) -> list[Path | None]:
    """Return where verdicts are written as whole paths.

    Raises
    ------
    InputError
        If a folder is missing, before a check takes its time.
    """
    found = [path and path.absolute() for path in paths]
    for path in found:
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise InputError(str(path), "cannot be written: it is a folder, or its folder does not exist")
    return found


def conclude(
    report: Report,
    *,
    inconclusive: Inconclusive,
    junit: Path | None,
    summary: Path | None,
    as_json: bool,
    show: Callable[[Report], None] | None = None,
) -> int:
    """Print a report, its lines by ``show``, write what is asked of it, and return the exit code."""
    cut_off = "cut off" if report.exit_code else ""
    if not cut_off:
        report = report.with_code(inconclusive)
    _write(report, inconclusive, junit, summary)
    if as_json:
        print_json(report.to_json())
        return report.exit_code
    (show or _show)(report)
    for note in report.notes:
        say(note)
    say(f"{report.verdict}: {cut_off or report.reason}; {report.runs} runs in {report.elapsed_s:.0f} s")
    if cut_off:
        warn(report.reason)
    elif report.folder is not None:
        say(f"results: {_relative(report.folder)}")
    return report.exit_code


def _show(report: Report) -> None:
    from mmwemu.check.report import words

    rows = []
    for line in report.lines:
        value, interval, bound = words(line)
        rows.append((line.verdict, line.group, bound, value, interval, line.n, line.reason))
    if rows:
        print_table(("verdict", "of", "expected", "value", "interval", "n", ""), rows, (5,))


def write_error(
    error: MmwemuError, name: str, inconclusive: Inconclusive, junit: Path | None, summary: Path | None
) -> None:
    """Write into the files of a check why there is no verdict."""
    from mmwemu.check.report import Report

    report = Report(name, "inconclusive", str(error), exit_code=error.exit_code)
    with contextlib.suppress(MmwemuError):  # the error itself is told
        _write(report, inconclusive, junit, summary)


def _write(report: Report, inconclusive: Inconclusive, junit: Path | None, summary: Path | None) -> None:
    from mmwemu.check.junit import junit as xml
    from mmwemu.check.markdown import markdown
    from mmwemu.core.files import whole_file

    if junit is not None:
        with whole_file(junit) as draft:
            draft.write_text(xml(report, inconclusive), encoding="utf-8")
    if summary is not None:
        with whole_file(summary) as draft:
            draft.write_text(markdown(report), encoding="utf-8")
    elif named := os.environ.get(_SUMMARY):
        try:
            with Path(named).open("a", encoding="utf-8") as file:
                file.write(markdown(report))
        except (OSError, ValueError) as error:
            warn(f"{_SUMMARY}: {named}: {error}")


def _relative(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
