"""mmwemu report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from mmwemu.apps.option_types import FilePath, Text
from mmwemu.cli.output import progress, say


@click.command("report")
@click.argument("kept", type=FilePath(), nargs=-1, required=True, metavar="FOLDER...")
@click.option("-o", "--output", type=FilePath(), required=True, help="HTML file to write.")
@click.option("--figures", type=FilePath(), help="Write each figure as PNG, PDF, SVG and CSV into this new folder too.")
@click.option("--title", type=Text(), default="", help="Title of the page.  [default: the experiments' names]")
@click.option(
    "--average",
    type=click.Choice(["mean", "median"]),
    default="mean",
    show_default=True,
    help="What figures and sentences are about.",
)
@click.option("--exclude-cpu-bound", is_flag=True, help="Leave CPU-bound runs out of the averages.")
def command(kept: tuple[Path, ...], output: Path, figures: Path | None, **options: Any) -> None:
    """Make one HTML page of results: findings in words, interactive figures, runs over time, all runs, provenance.

    FOLDER is a results folder, as `mmwemu run` names it in its last line. The page needs no network.
    """
    from mmwemu.core.files import whole_file, whole_folder
    from mmwemu.report.page.render import render
    from mmwemu.results.collection import open_folder
    from mmwemu.study.report_page import make_page

    folders = [open_folder(each) for each in kept]
    with progress() as on_progress:
        page = make_page(folders, sys.argv, on_progress=on_progress, **options)
        with whole_file(output) as draft:
            draft.write_text(render(page), encoding="utf-8")
        if figures:
            with whole_folder(figures) as folder:
                for figure in page.figures():
                    figure.save(folder)
            say(figures)
    say(output)
