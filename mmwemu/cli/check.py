"""mmwemu check."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import cloup

from mmwemu.apps.option_types import FilePath, Text
from mmwemu.cli import study_file
from mmwemu.cli.check_options import conclude, outputs, verdict_options, write_error
from mmwemu.cli.link_options import warn_of_machine
from mmwemu.cli.output import progress
from mmwemu.core.errors import MmwemuError
from mmwemu.core.text import parse_toml, read_text

if TYPE_CHECKING:
    from mmwemu.check.report import Inconclusive
    from mmwemu.check.request import Request
    from mmwemu.study.studies import Study


@cloup.command("check")
@click.argument("study", type=FilePath(), metavar="STUDY")
@cloup.option_group(
    "Baseline",
    cloup.option(
        "--base",
        type=Text(),
        metavar="'CMD'",
        help="Run this, too, in place of the study's command, and compare; both take turns.",
    ),
    cloup.option(
        "--head",
        type=Text(),
        metavar="'CMD'",
        help="Judge this in place of the study's command.  [default: the study's]",
    ),
    cloup.option(
        "--base-dir",
        type=FilePath(),
        metavar="DIR",
        help="Compare with the same study whose commands run here, and whose sites and films are here.",
    ),
    cloup.option(
        "--head-dir",
        type=FilePath(),
        metavar="DIR",
        help="The same for what is judged.  [default: the study's folder]",
    ),
    cloup.option("--baseline", type=FilePath(), metavar="FILE", help="Compare with what this file holds."),
    cloup.option("--update", is_flag=True, help="Measure, and write the file of --baseline; nothing is judged."),
)
@verdict_options()
def command(
    study: Path, inconclusive: Inconclusive, junit: Path | None, summary: Path | None, as_json: bool, **asked: Any
) -> int:
    """Judge thresholds on what a STUDY's applications experience, by as few runs as it takes.

    STUDY is a study file with a list expect, such as expect = ["goodput_bps >= 0.9 of baseline"]. Exit code: 0 all
    hold, 1 one does not or a run failed, 4 inconclusive.
    """
    from mmwemu.check.run import run_check
    from mmwemu.results.store import default_path

    junit, summary = outputs(junit, summary)
    output = asked.pop("output")
    try:
        text, base, results = read_text(study), study.absolute().parent, Path("results").absolute()
        output = output and output.absolute()
        folders = {name: path and path.absolute() for name, path in asked.items() if isinstance(path, Path)}
        with contextlib.chdir(base):
            request = _request(text, str(study), **{**asked, **folders})
            folder = output or default_path(results, request.study.name)
            warn_of_machine()
            with progress() as on_progress:
                report = run_check(request, folder, sys.argv, on_progress)
    except MmwemuError as error:
        write_error(error, study.stem, inconclusive, junit, summary)
        raise
    return conclude(report, inconclusive=inconclusive, junit=junit, summary=summary, as_json=as_json)


def _request(
    text: str,
    where: str,
    *,
    expect: Sequence[str],
    budget_s: float,
    base: str | None,
    head: str | None,
    base_dir: Path | None,
    head_dir: Path | None,
    baseline: Path | None,
    update: bool,
) -> Request:
    """Return what a study file and options ask."""
    from mmwemu.check import thresholds
    from mmwemu.check.request import Request

    study = study_file.read(text, where)
    lines = [(line, f"{where}: expect[{i}]") for i, line in enumerate(study_file.expected(text, where))]
    lines += [(line, "--expect") for line in expect]
    return Request(
        _version(study, head, head_dir, "head"),
        [thresholds.parse(line, place) for line, place in lines],
        _repetitions(text, where),
        budget_s,
        _version(study, base, base_dir, "base") if base is not None or base_dir is not None else None,
        baseline,
        update,
    )


def _version(study: Study, argv: str | None, folder: Path | None, name: str) -> Study:
    from mmwemu.check.request import in_folder, with_command

    if folder is not None:
        study = in_folder(study, folder, f"{name}-dir")
    return study if argv is None else with_command(study, argv, name)


def _repetitions(text: str, where: str) -> list[int | None]:
    """Return the repetitions that a study file asks of each run; None where it does not say."""
    values = parse_toml(text, where)
    return [run.get("repetitions", values.get("repetitions")) for run in values["run"]]
