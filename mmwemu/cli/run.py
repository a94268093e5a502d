"""mmwemu run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.link import link_options, warn_of_cost, warn_of_rate
from mmwemu.cli.output import json_option, print_json, print_table, progress
from mmwemu.cli.run_flow import flow
from mmwemu.cli.run_web import web
from mmwemu.core.errors import InvalidRunError, MmwemuError
from mmwemu.core.units import format_size, mbps, parse_size

if TYPE_CHECKING:
    from mmwemu.report.statistics import Goodput
    from mmwemu.results.records import Run


@click.group("run")
def command() -> None:
    """Run real applications over patterns and keep the results."""


command.add_command(flow)
command.add_command(web)


class Size(click.ParamType[int]):
    """A file size such as 20MB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Give bytes."""
        return value if isinstance(value, int) else parse_size(str(value))


def download_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add the options of verbs that download."""
    for option in (
        click.option("--fill", type=click.Choice(["sparse", "random"]), default="sparse", show_default=True,
                     help="Content of the files."),
        click.option("--limit-s", type=click.FloatRange(min=0, min_open=True), default=40.0, show_default=True,
                     help="A download ends here at the latest; that is a result."),
        click.option("--cc", "congestion_control", default="cubic", show_default=True,
                     help="TCP congestion control of both ends."),
        click.option("--repetitions", "-n", type=click.IntRange(min=1), default=3, show_default=True,
                     help="Downloads of each size over each pattern."),
        click.option("--size", "sizes_bytes", type=Size(), multiple=True, default=("2MB", "20MB"), show_default=True,
                     help="File size; may be given more than once."),
    ):  # fmt: skip
        function = option(function)
    return link_options(function)


output_option = click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Results folder.  [default: results/UTC-NAME]"
)


@command.command("download")
@click.option("--pattern", "patterns", multiple=True, required=True,
              help="Pattern file or shipped pattern; may be given more than once.")  # fmt: skip
@download_options
@click.option("--start-at", "starts_at_s", type=click.FloatRange(min=0), multiple=True, default=(0.0,),
              show_default=True, help="Time in the pattern to start at, s; may be given more than once.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of random loss.")
@output_option
@json_option
def download(patterns: tuple[str, ...], output: Path | None, as_json: bool, delay_ms: float, **options: Any) -> int:
    """Download files by curl from nginx over patterns; the study's first experiment."""
    from mmwemu.report import figures, statistics
    from mmwemu.results import store
    from mmwemu.study.downloads import DownloadPlan, run_downloads

    plan = DownloadPlan(delay_s=delay_ms / 1e3, **options)
    warn_of_cost(plan.tc_mode)
    warn_of_rate(patterns, plan.backend)
    output = output or store.default_path(Path("results"), "download")
    experiment = store.Experiment("download", sys.argv, {"patterns": list(patterns), **asdict(plan)})
    with store.create(experiment, output) as writer, progress() as on_progress:
        runs = run_downloads(patterns, plan, writer, on_progress)
        goodput = statistics.goodput_table(store.to_frame(runs))
        (writer.folder / "plots").mkdir()
        figures.plot_goodput(goodput, writer.folder / "plots" / "goodput.png", "Downloads, mean with 95 % interval")
    if as_json:
        print_json({"folder": output, "goodput": [asdict(g) for g in goodput], "runs": [asdict(run) for run in runs]})
    else:
        print_goodput(goodput)
        click.echo(f"results: {output}")
    return exit_code(runs)


def print_goodput(groups: list[Goodput]) -> None:
    """Print the table of goodput."""
    rows = []
    for group in groups:
        estimate = group.goodput
        interval = f"{mbps(estimate.low):.1f} - {mbps(estimate.high):.1f}" if estimate.n > 1 else "-"
        counts = ((group.timeouts, "at the limit"), (group.failed, "failed"), (group.invalid, "not valid"))
        notes = [f"{count} {what}" for count, what in counts if count]
        mean = f"{mbps(estimate.mean):.1f}" if estimate.n else "-"
        start = f"{group.start_at_s:g} s"
        rows.append((group.pattern, format_size(group.size_bytes), start, mean, interval, group.runs, ", ".join(notes)))
    print_table(
        ("pattern", "size", "from", "goodput [Mbit/s]", "95 % interval", "runs", ""), rows, right=(1, 2, 3, 4, 5)
    )


def exit_code(runs: Sequence[Run]) -> int:
    """Give 1 if a run failed, 4 if the link was not valid in one, else 0; and say so."""
    invalid = [run.invalid_because for run in runs if not run.valid]
    if invalid:
        click.echo(f"mmwemu: the link was not valid in {len(invalid)} of {len(runs)} runs: {invalid[0]}", err=True)
    failed = [run.error for run in runs if run.status == "failed"]
    if failed:
        click.echo(f"mmwemu: {len(failed)} of {len(runs)} runs failed: {failed[0]}", err=True)
        return MmwemuError.exit_code
    return InvalidRunError.exit_code if invalid else 0
