"""mmwemu run web."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.link import link_options, warn_of_cost, warn_of_rate
from mmwemu.cli.output import json_option, print_json, print_table, progress

if TYPE_CHECKING:
    from mmwemu.report.pages import PageLoads


class Span(click.ParamType[tuple[float, float]]):
    """Two times such as 0-20."""

    name = "from-to"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        """Give both, s."""
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)-([0-9]+(?:\.[0-9]+)?)", str(value))
        if match is None:
            self.fail(f"{value!r} is no pair of times; write them in s, such as 0-20", param, ctx)
        return float(match[1]), float(match[2])


@click.command("web")
@click.option(
    "--site",
    "sites",
    multiple=True,
    required=True,
    help="Folder of a site, or google, amazon, tripadvisor, huffpost or cnn; may be given more than once.",
)
@click.option(
    "--pattern",
    "patterns",
    multiple=True,
    required=True,
    help="Pattern file or shipped pattern; may be given more than once.",
)
@click.option(
    "--repetitions",
    "-n",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Loads of each site over each pattern.",
)
@click.option(
    "--start-at",
    "starts_at_s",
    type=click.FloatRange(min=0),
    multiple=True,
    default=(0.0,),
    show_default=True,
    help="Time in the pattern to start at, s; may be given more than once.",
)
@click.option(
    "--start-random",
    "start_between_s",
    type=Span(),
    help="Draw the start of each repetition from this span instead, s; the study's is 0-20.",
)
@click.option(
    "--protocol",
    type=click.Choice(["http", "h1", "h2"]),
    default="h2",
    show_default=True,
    help="HTTP/1.1 without TLS, HTTP/1.1 or HTTP/2 with TLS.",
)
@click.option("--device", default="iPhone X", show_default=True, help="A device of Puppeteer's list.")
@click.option(
    "--limit-s",
    type=click.FloatRange(min=0, min_open=True),
    default=40.0,
    show_default=True,
    help="A load ends here at the latest; that is a result.",
)
@click.option(
    "--cc", "congestion_control", default="cubic", show_default=True, help="TCP congestion control of both ends."
)
@click.option("--keep", is_flag=True, help="Keep film strip, HAR and browser trace of every load.")
@click.option("--exclude-cpu-bound", is_flag=True, help="Leave loads that the computer decided out of the means.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of random starts and of random loss."
)
@link_options
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Results folder.  [default: results/UTC-web]")
@json_option  # fmt: skip
def web(
    patterns: tuple[str, ...],
    output: Path | None,
    as_json: bool,
    delay_ms: float,
    exclude_cpu_bound: bool,
    **options: Any,
) -> int:
    """Load web pages in a headless browser over patterns; the study's web experiment."""
    from mmwemu.cli.run import exit_code
    from mmwemu.report import page_figures, pages
    from mmwemu.results import store
    from mmwemu.study.pages import WebPlan, run_pages

    plan = WebPlan(delay_s=delay_ms / 1e3, **options)
    warn_of_cost(plan.tc_mode)
    warn_of_rate(patterns, plan.backend)
    output = output or store.default_path(Path("results"), "web")
    experiment = store.Experiment("web", sys.argv, {"patterns": list(patterns), **asdict(plan)})
    with store.create(experiment, output) as writer, progress() as on_progress:
        runs = run_pages(patterns, plan, writer, on_progress)
        groups = pages.page_table(store.to_frame(runs), exclude_cpu_bound=exclude_cpu_bound)
        (writer.folder / "plots").mkdir()
        page_figures.plot_speed_index(groups, writer.folder / "plots" / "speed-index.png", "Speed Index")
        page_figures.plot_metrics(groups, writer.folder / "plots" / "metrics.png", "Page load metrics")
    if as_json:
        print_json({"folder": output, "pages": [asdict(g) for g in groups], "runs": [asdict(run) for run in runs]})
    else:
        print_pages(groups)
        click.echo(f"results: {output}")
    return exit_code(runs)


def print_pages(groups: list[PageLoads]) -> None:
    """Print the table of page loads: medians, and the mean of Speed Index with its interval."""
    columns = ("ttfb_s", "first_paint_s", "dom_interactive_s", "on_load_s", "above_the_fold_s")
    rows = []
    for group in groups:
        index = group.metrics["speed_index_s"]
        interval = f"{index.low:.2f} - {index.high:.2f}" if index.n > 1 else "-"
        notes = [
            f"{count} {what}"
            for count, what in (
                (group.timeouts, "at the limit"),
                (group.failed, "failed"),
                (group.invalid, "not valid"),
                (group.cpu_bound, "CPU-bound"),
            )
            if count
        ]
        if group.at_computers_limit:
            notes.append("at the computer's limit")
        medians = [_seconds(group.medians[name]) for name in columns]
        rows.append((group.site, group.pattern, *medians, _seconds(index.mean), interval, group.runs, ", ".join(notes)))
    header = ("site", "pattern", "TTFB [s]", "paint", "interactive", "onLoad", "ATF", "Speed Index", "95 % interval")
    print_table((*header, "runs", ""), rows, right=range(2, 10))


def _seconds(value: float) -> str:
    return f"{value:.2f}" if value == value else "-"
