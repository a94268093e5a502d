"""mmwemu run web."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.output import print_table
from mmwemu.cli.replaying import Replaying, replay_options

if TYPE_CHECKING:
    from mmwemu.apps.web.application import Pages
    from mmwemu.apps.web.differences import Difference
    from mmwemu.apps.web.summary import PageLoads


def options(function: click.decorators.FC) -> click.decorators.FC:
    """Add what can be asked of page loads; `application` reads it."""
    for option in (
        click.option("--control", type=click.Choice(["recent", "each"]), default="recent", show_default=True,
                     help="Load without limit of rate to compare with: at most 2 minutes old, or before each load."),
        click.option("--keep", is_flag=True, help="Keep film strip, HAR and browser trace of every load."),
        click.option("--limit-s", type=click.FloatRange(min=0, min_open=True), default=40.0, show_default=True,
                     help="A load ends here at the latest; that is a result."),
        click.option("--device", default="iPhone X", show_default=True,
                     help="A device of Puppeteer's list, or desktop."),
        click.option("--protocol", type=click.Choice(["http", "h1", "h2", "h3"]), default="h2", show_default=True,
                     help="HTTP/1.1 without TLS, HTTP/1.1 or HTTP/2 with TLS, HTTP/3 from caddy (experimental)."),
        click.option("--site", "sites", multiple=True, required=True,
                     help="Folder of a site or a saved page, or google, amazon, tripadvisor, huffpost or cnn; "
                          "may be given more than once."),
    ):  # fmt: skip
        function = option(function)
    return function


def application(**asked: Any) -> Pages:
    """Give the application that `options` describe."""
    from mmwemu.apps.web.application import Pages

    return Pages(**asked)


@click.command("web")
@options
@click.option("--exclude-cpu-bound", is_flag=True, help="Leave loads that the computer decided out of the means.")
@replay_options(repetitions=3)
def command(replaying: Replaying, *, exclude_cpu_bound: bool, **asked: Any) -> int:
    """Load web pages in a headless browser over patterns; the study's web experiment."""
    from mmwemu.apps.web import figures as page_figures
    from mmwemu.apps.web.differences import differences
    from mmwemu.apps.web.summary import page_table
    from mmwemu.results import store

    pages = application(**asked)
    with replaying.results("web", asdict(pages)) as (writer, folder):
        runs = replaying.run(pages, writer)
        frame = store.to_frame(runs)
        groups = page_table(frame, exclude_cpu_bound=exclude_cpu_bound)
        apart = differences(frame)
        page_figures.plot_speed_index(groups, writer.folder / "plots" / "speed-index.png", "Speed Index")
        page_figures.plot_metrics(groups, writer.folder / "plots" / "metrics.png", "Page load metrics")
    tables = {"pages": [asdict(group) for group in groups], "differences": [asdict(each) for each in apart]}

    def show() -> None:
        print_pages(groups)
        print_differences(apart)

    return replaying.conclude(folder, runs, tables, show)


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
        if group.requests_failed:
            notes.append(f"{group.requests_failed} requests of a load failed")
        if group.at_computers_limit:
            notes.append("at the computer's limit")
        medians = [_seconds(group.medians[name]) for name in columns]
        rows.append((group.site, group.pattern, *medians, _seconds(index.mean), interval, group.runs, ", ".join(notes)))
    header = ("site", "pattern", "TTFB [s]", "paint", "interactive", "onLoad", "ATF", "Speed Index", "95 % interval")
    print_table((*header, "runs", ""), rows, right=range(2, 10))


def print_differences(apart: list[Difference]) -> None:
    """Say of each pattern whether its Speed Index differs from that of the first."""
    for each in apart:
        value = each.difference
        click.echo(
            f"{each.site}: Speed Index over {each.pattern} against {each.reference}: "
            + (
                f"{value.mean:+.2f} s (95 %: {value.low:+.2f} to {value.high:+.2f}, {value.n} pairs)"
                if each.is_found
                else f"no difference found, {each.bound_s:.2f} s at most (95 %, {value.n} pairs)"
            )
        )


def _seconds(value: float) -> str:
    return f"{value:.2f}" if value == value else "-"
