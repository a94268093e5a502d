"""mmwemu budget."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import cloup

from mmwemu.apps.option_types import Duration, FilePath, Text
from mmwemu.apps.shipped_types import PATTERN
from mmwemu.cli.check_options import conclude, outputs, verdict_options, write_error
from mmwemu.cli.link_options import warn_of_machine
from mmwemu.cli.output import print_table, progress, say
from mmwemu.core.errors import InputError, MmwemuError

if TYPE_CHECKING:
    from mmwemu.check.report import Inconclusive, Report


@cloup.command("budget")
@click.argument("target", type=Text(), metavar="DIR|FILM|URL")
@cloup.option_group(
    "Budget",
    cloup.option("--pattern", "patterns", type=PATTERN, multiple=True,
                 help="Pattern file or shipped pattern; may be given more than once.  [default: s1 to s4, both RATs]"),
    cloup.option("--budget", "budget_s", type=Duration(),
                 help="Time until there has to be a verdict.  [default: 10m, or 30m for a film]"),
)  # fmt: skip
@verdict_options(has_budget=False)
def command(
    target: str,
    patterns: tuple[str, ...],
    expect: tuple[str, ...],
    budget_s: float | None,
    output: Path | None,
    inconclusive: Inconclusive,
    junit: Path | None,
    summary: Path | None,
    as_json: bool,
) -> int:
    """Judge budgets of a page or film over mmWave and LTE, such as --expect 'speed_index_s p50 <= 2.5'.

    DIR is a folder of a site, or a saved page; a page at a URL is recorded first. Without --expect: the largest
    contentful paint within 2.5 s, the first one within 1.8 s, a Speed Index of 3.4 s and a layout shift of 0.1; of a
    film, 3 s until it starts and 1 s of stalls; each as the median. Exit codes as of mmwemu check.
    """
    from mmwemu.check import budget
    from mmwemu.check.run import run_check
    from mmwemu.results.store import default_path

    folder = (output or default_path(Path("results"), "budget")).absolute()
    junit, summary = outputs(junit, summary)
    try:
        place = _recorded(target, folder) if re.match(r"[a-z]+://", target) else _path(target)
        request = budget.request(place, expect, patterns, budget_s)
        warn_of_machine()
        with progress() as on_progress:
            report = run_check(request, folder, sys.argv, on_progress)
    except MmwemuError as error:
        write_error(error, "budget", inconclusive, junit, summary)
        raise
    return conclude(report, inconclusive=inconclusive, junit=junit, summary=summary, as_json=as_json, show=_show)


def _path(target: str) -> Path:
    kind = FilePath()
    try:
        return kind.convert(target, None, None)
    except click.BadParameter as error:
        raise InputError("target", error.message) from None


def _recorded(url: str, folder: Path) -> Path:
    """Record a page beside the results folder, and return the site."""
    from mmwemu.apps.web.recording import Take, record

    site = folder.with_name(f"{folder.name}-site")
    try:
        record(Take(url), site)
    except InputError:
        raise
    except MmwemuError as error:
        if error.exit_code != MmwemuError.exit_code:
            raise
        raise MmwemuError(f"{error}; without a network, give the folder of a site that was recorded before") from None
    say(f"site: {site}")
    return site


def _show(report: Report) -> None:
    from mmwemu.check.budget import budgets
    from mmwemu.check.report import words

    rows = []
    for one in budgets(report.lines):
        value, interval, bound = words(one.worst)
        rows.append((one.verdict, bound, f"{one.held} of {len(one.lines)}", value, interval, one.worst.group))
    if rows:
        print_table(("verdict", "budget", "holds on", "worst", "interval", "on"), rows, (2,))
