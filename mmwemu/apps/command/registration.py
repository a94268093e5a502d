"""The registration of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.application import ApplicationType
from mmwemu.apps.option_types import Seconds, Text, Whole

if TYPE_CHECKING:
    from pathlib import Path

    from mmwemu.apps.command.application import Command
    from mmwemu.report.summary import Results, Summary
    from mmwemu.report.view import View

OPTIONS = (
    click.argument("argv", nargs=-1, required=True, type=Text(), metavar="-- CMD..."),
    click.option("--serve", type=Text(), default="", metavar="'CMD'",
                 help="Run this as the server, as long as the runs last."),
    click.option("--metrics", "metrics_file", type=Text(), default="", metavar="FILE",
                 help="The command writes its metrics to this file, a JSON object, which is removed when it was read.  "
                      "[default: $MMWEMU_METRICS, or the last line of its output]"),
    click.option("--limit-s", type=Seconds(above=0), default=60.0, show_default=True,
                 help="End the command after this time; that is a result."),
    click.option("--expect-exit", "expected_exit_codes", type=Whole(least=0, most=255), multiple=True, default=(0,),
                 show_default=True, help="Exit code that is no failure; may be given more than once."),
    click.option("--keep", is_flag=True, help="Keep the output of every run."),
)  # fmt: skip


def create(**asked: Any) -> Command:
    """Return the command that the options describe."""
    from mmwemu.apps.command.application import Command

    return Command(**asked)


def summarize(results: Results, plots: Path) -> Summary:
    """Draw and tabulate duration and metrics."""
    from mmwemu.report import generic_summary

    return generic_summary.summarize(results, plots, leave_out=["exit_code"])


def view() -> View:
    """Return how the report page shows the runs."""
    from mmwemu.apps.command.view import VIEW

    return VIEW


APPLICATION = ApplicationType(
    """Run your own client over patterns: exit code, duration, and the metrics that it reports.

    The command finds the addresses in MMWEMU_CLIENT, MMWEMU_SERVER and MMWEMU_EDGE. Its metrics are a JSON object with
    the units in the names, the last line of its output or a file:

    \b
    mmwemu run command --pattern s1-long-nlos.mmwave --pattern s1-long-nlos.lte -n 10 \\
        --serve 'python3 -m http.server' -- \\
        sh -c 'curl -so /dev/null -w "{\\"ttfb_s\\": %{time_starttransfer}}\\n" http://$MMWEMU_SERVER:8000/'
    """,
    OPTIONS,
    create,
    summarize,
    view=view,
)
