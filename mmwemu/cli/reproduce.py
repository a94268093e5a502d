"""mmwemu reproduce."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.option_types import FilePath, Text, Whole
from mmwemu.cli.output import duration, json_option, print_json, print_table, progress, say, warn
from mmwemu.core.text import read_text

if TYPE_CHECKING:
    from mmwemu.core.progress import OnProgress
    from mmwemu.papers.judge import Judged
    from mmwemu.papers.paper import Extent
    from mmwemu.papers.reproduction import Reproduction


@click.command("reproduce")
@click.argument("name", type=Text(), metavar="PAPER")
@click.option("--quick/--full", "is_quick", default=True, show_default=True,
              help="Within 20 minutes, or all that the paper did, which takes days.")  # fmt: skip
@click.option("-o", "--output", "folder", type=FilePath(), help="Folder for it all.  [default: results/PAPER-EXTENT]")
@click.option("--jobs", type=Whole(least=1, most=1024), help="Simulations at a time.  [default: processors]")
@json_option
def command(name: str, folder: Path | None, jobs: int | None, *, is_quick: bool, as_json: bool) -> None:
    """Reproduce a PAPER: simulate its cells, run its study, and hold its claims against what was found.

    PAPER is hurtig2019, krasilov2019, polese2017 or zhang2016. What is finished is not repeated: after an interruption
    or a crash, the same command goes on.
    """
    from mmwemu.papers import registry
    from mmwemu.papers.reproduction import Reproduction

    extent: Extent = "quick" if is_quick else "full"
    folder = (folder or Path("results") / f"{name}-{extent}").absolute()
    one = Reproduction(registry.load(name), extent, folder)
    one.begin()
    with progress() as on_progress:
        one.simulate(jobs or len(os.sched_getaffinity(0)), on_progress)
        one.make_patterns()
        _run_study(one, on_progress)
        found = one.find()
        judged = one.judge(found)
        figures = one.draw(found)
        _write_report(one, judged, on_progress)
    if as_json:
        print_json({"folder": folder, "claims": [each.to_json() for each in judged]})
    else:
        _print(judged)
        for figure in figures:
            say(f"figure: {figure}")
        say(f"report: {one.report}")


def _run_study(one: Reproduction, on_progress: OnProgress) -> None:
    """Run the study, or go on with it; its paths are relative to the reproduction's folder."""
    from mmwemu.cli import study_file
    from mmwemu.core.temporary import IN_PROGRESS
    from mmwemu.study import running, state

    if one.results.exists():
        return
    with contextlib.chdir(one.folder):
        study = study_file.read(read_text(one.study), str(one.study))
        begun = one.results.with_name(one.results.name + IN_PROGRESS)
        if begun.is_dir():
            running.resume_study(study, begun, on_progress)
            return
        left_s = sum(each.left_s for each in state.planned(study).experiments)
        warn(f"the study takes about {duration(left_s)}")
        running.run_study(study, one.results, sys.argv, base=one.folder, on_progress=on_progress)


def _write_report(one: Reproduction, judged: list[Judged], on_progress: OnProgress) -> None:
    from mmwemu.core.files import whole_file
    from mmwemu.papers.pages import page_of
    from mmwemu.report.page.render import render

    page = page_of(one, judged, sys.argv, on_progress)
    with whole_file(one.report) as draft:
        draft.write_text(render(page), encoding="utf-8")


def _print(judged: list[Judged]) -> None:
    from mmwemu.papers import words

    rows: list[tuple[Any, ...]] = [
        (each.claim.name, words.expected(each.claim), words.found(each), each.verdict) for each in judged
    ]
    print_table(("claim", "expected", "found", "verdict"), rows)
    say(words.count([each.verdict for each in judged]))
