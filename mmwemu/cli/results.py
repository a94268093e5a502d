"""mmwemu results."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.option_types import FilePath, Text, Whole
from mmwemu.cli.output import json_option, print_json, print_table, say, warn
from mmwemu.cli.results_output import print_summary

if TYPE_CHECKING:
    import pandas as pd

    from mmwemu.results.collection import Finished

_average = click.option(
    "--average", type=click.Choice(["mean", "median"]), default="mean", show_default=True, help="What tables show."
)
_root = click.option(
    "--root", type=FilePath(), default="results", show_default=True, help="Folder that has the results folders."
)


@click.group("results")
def command() -> None:
    """List, show, ask, compare, merge and export kept results.

    FOLDER is a results folder, as `mmwemu run` names it in its last line.
    """


def _find(root: Path) -> list[Finished]:
    """Return the finished folders in a root, telling which cannot be read."""
    from mmwemu.results import collection

    found, refused = collection.find(root)
    for error in refused:
        warn(f"note: left out: {error}")
    return found


@command.command("list")
@_root
@json_option
def list_results(root: Path, as_json: bool) -> None:
    """List results folders, the oldest first."""
    found = _find(root)
    if as_json:
        print_json([{"folder": str(each.path), "name": each.name, "started": each.started.isoformat(),
                     "runs": each.runs, "invalid_runs": each.invalid_runs, "tables": each.tables}
                    for each in found])  # fmt: skip
        return
    rows = [
        (each.path, each.name, f"{each.started:%Y-%m-%d %H:%M}", each.runs, each.invalid_runs or "") for each in found
    ]
    print_table(("folder", "name", "started (UTC)", "runs", "not valid"), rows, (3, 4))


@command.command("show")
@click.argument("kept", type=FilePath(), metavar="FOLDER")
@_average
@click.option("--exclude-cpu-bound", is_flag=True, help="Leave CPU-bound runs out of the averages.")
@click.option("--plots", type=FilePath(), help="Draw the figures into this new folder.")
@json_option
def show(kept: Path, plots: Path | None, as_json: bool, **counting: Any) -> None:
    """Show what was run, on what, and the tables of its runs."""
    from mmwemu.core.files import whole_folder
    from mmwemu.core.temporary import temporary_folder
    from mmwemu.results.collection import open_folder
    from mmwemu.study import review

    found = open_folder(kept)
    with whole_folder(plots) if plots else temporary_folder("plots") as drawn:
        summary = review.summarize(found, drawn, **counting)
    if as_json:
        about = {"folder": str(kept), "command": found.command, "asked": found.asked, "system": found.system}
        print_json(about | dict(summary.values))
        return
    say(f"{found.name}: {shlex.join(found.command)}")
    system = ", ".join(f"{name} {value}" for name, value in found.system.items())
    say(f"from {found.started:%Y-%m-%d %H:%M:%S} to {found.ended:%H:%M:%S} UTC; {system}")
    print_summary(summary)


@command.command("query")
@click.argument("sql", type=Text(), metavar="SQL")
@click.argument("kept", type=FilePath(), nargs=-1, metavar="[FOLDER]...")
@_root
@click.option("-o", "--output", type=FilePath(), help="Write CSV to this file.")
@json_option
def query(sql: str, kept: tuple[Path, ...], root: Path, output: Path | None, as_json: bool) -> None:
    """Ask all results, or those of each FOLDER, in SQL.

    The tables are runs, link, tcp and the others that docs/formats/results.md lists, each with a column folder:

    \b
    mmwemu results query "select pattern, median(goodput_bps) / 1e6 as mbps from runs where valid group by all"
    """
    from mmwemu.results import query as questions
    from mmwemu.results.collection import open_folder

    answer = questions.query(sql, [open_folder(each) for each in kept] if kept else _find(root))
    if output:
        _write_csv(answer, output)
    elif as_json:
        print_json(answer.to_dict("records"))
    else:
        numbers = [i for i, kind in enumerate(answer.dtypes) if kind.kind in "iuf"]
        rows = [[_cell(value) for value in row] for row in answer.to_numpy(object)]
        print_table([str(name) for name in answer.columns], rows, numbers)


@command.command("diff")
@click.argument("before", type=FilePath())
@click.argument("after", type=FilePath())
@_average
@json_option
def diff(before: Path, after: Path, average: Any, as_json: bool) -> None:
    """Compare the runs of two folders: each metric of AFTER over that of BEFORE, with its 95 % interval."""
    from dataclasses import asdict

    from mmwemu.core.temporary import temporary_folder
    from mmwemu.report.summary import number
    from mmwemu.results.collection import open_folder
    from mmwemu.study import review

    with temporary_folder("plots") as drawn:
        old, new = (review.summarize(open_folder(each), drawn, average=average) for each in (before, after))
    changes = review.compare(old, new, average)
    if as_json:
        print_json([asdict(each) for each in changes])
        return
    rows = []
    for each in changes:
        spread = f"{each.ratio.low:.3f} - {each.ratio.high:.3f}" if each.ratio.has_interval else "-"
        names = " ".join(str(value) for value in each.keys.values() if value != "")
        rows.append(
            (names, each.metric, f"{each.before:.5g}", f"{each.after:.5g}", number(each.ratio.value, 3), spread)
        )
    print_table(("runs", "metric", "before", "after", "ratio", "95 % interval"), rows, (2, 3, 4, 5))


@command.command("merge")
@click.argument("kept", type=FilePath(), nargs=-1, required=True, metavar="FOLDER...")
@click.option("-o", "--output", type=FilePath(), required=True, help="Results folder to make.")
def merge(kept: tuple[Path, ...], output: Path) -> None:
    """Make one results folder of several; the old ones stay."""
    from mmwemu.results import merge as merging
    from mmwemu.results.collection import open_folder

    merging.merge([open_folder(each) for each in kept], output, sys.argv)
    say(output)


@command.command("export")
@click.argument("kept", type=FilePath(), metavar="FOLDER")
@click.option("--table", "name", type=Text(), default="runs", show_default=True, help="Table to export.")
@click.option("-o", "--output", type=FilePath(), required=True, help="CSV file to write.")
def export(kept: Path, name: str, output: Path) -> None:
    """Write a table of a results folder as CSV."""
    from mmwemu.results import store
    from mmwemu.results.collection import open_folder

    _write_csv(store.load_table(open_folder(kept).path, name), output)


@command.command("prune")
@click.option("--older-than-days", type=Whole("days", least=0, most=100_000), required=True, help="Age of what goes.")
@_root
@click.option("--yes", is_flag=True, help="Remove; without it, the folders are only listed.")
def prune(older_than_days: int, root: Path, yes: bool) -> None:
    """Remove finished results folders that ended long ago."""
    import shutil
    from datetime import UTC, datetime, timedelta

    limit = datetime.now(UTC) - timedelta(days=older_than_days)
    old = [each for each in _find(root) if each.ended < limit]
    for each in old:
        if yes:
            shutil.rmtree(each.path)
        say(f"{'removed' if yes else 'would remove'} {each.path} ({each.runs} runs of {each.ended:%Y-%m-%d})")
    if not old:
        say("nothing is that old")


def _cell(value: Any) -> object:
    if value is None or value != value:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else value


def _write_csv(table: pd.DataFrame, output: Path) -> None:
    from mmwemu.core.files import whole_file

    with whole_file(output) as draft:
        table.to_csv(draft, index=False)
    say(output)
