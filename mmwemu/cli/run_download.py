"""mmwemu run download."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.output import print_table
from mmwemu.cli.replaying import Replaying, replay_options
from mmwemu.cli.types import Size
from mmwemu.core.units import format_size, mbps

if TYPE_CHECKING:
    from mmwemu.apps.download.application import Downloads
    from mmwemu.report.statistics import Goodput


def options(function: click.decorators.FC) -> click.decorators.FC:
    """Add what can be asked of downloads; `application` reads it."""
    for option in (
        click.option("--limit-s", type=click.FloatRange(min=0, min_open=True), default=40.0, show_default=True,
                     help="A download ends here at the latest; that is a result."),
        click.option("--fill", type=click.Choice(["sparse", "random"]), default="sparse", show_default=True,
                     help="Content of the files."),
        click.option("--size", "sizes_bytes", type=Size(), multiple=True, default=("2MB", "20MB"), show_default=True,
                     help="File size; may be given more than once."),
    ):  # fmt: skip
        function = option(function)
    return function


def application(**asked: Any) -> Downloads:
    """Give the application that `options` describe."""
    from mmwemu.apps.download.application import Downloads

    return Downloads(**asked)


@click.command("download")
@options
@replay_options(repetitions=3)
def command(replaying: Replaying, **asked: Any) -> int:
    """Download files by curl from nginx over patterns; the study's first experiment."""
    from mmwemu.report import figures, statistics
    from mmwemu.results import store

    downloads = application(**asked)
    with replaying.results("download", asdict(downloads)) as (writer, folder):
        runs = replaying.run(downloads, writer)
        by_start = replaying.plan.start_between_s is None
        goodput = statistics.goodput_table(store.to_frame(runs), by_start=by_start)
        figures.plot_goodput(goodput, writer.folder / "plots" / "goodput.png", "Downloads, mean with 95 % interval")
    return replaying.conclude(folder, runs, {"goodput": [asdict(g) for g in goodput]}, lambda: print_goodput(goodput))


def print_goodput(groups: list[Goodput]) -> None:
    """Print the table of goodput."""
    rows = []
    for group in groups:
        estimate = group.goodput
        interval = f"{mbps(estimate.low):.1f} - {mbps(estimate.high):.1f}" if estimate.n > 1 else "-"
        counts = ((group.timeouts, "at the limit"), (group.failed, "failed"), (group.invalid, "not valid"))
        notes = [f"{count} {what}" for count, what in counts if count]
        mean = f"{mbps(estimate.mean):.1f}" if estimate.n else "-"
        start = "random" if group.start_at_s is None else f"{group.start_at_s:g} s"
        rows.append((group.pattern, format_size(group.size_bytes), start, mean, interval, group.runs, ", ".join(notes)))
    print_table(
        ("pattern", "size", "from", "goodput [Mbit/s]", "95 % interval", "runs", ""), rows, right=(1, 2, 3, 4, 5)
    )
