"""mmwemu run stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.output import print_table, progress
from mmwemu.cli.replaying import Replaying, replay_options
from mmwemu.core.units import mbps

if TYPE_CHECKING:
    from mmwemu.apps.stream.application import Streams
    from mmwemu.apps.stream.summary import StreamGroup
    from mmwemu.results.records import StreamRun
    from mmwemu.results.store import Writer


def options(function: click.decorators.FC) -> click.decorators.FC:
    """Add what can be asked of films; `application` reads it."""
    for option in (
        click.option("--keep", is_flag=True, help="Keep each player's own record, and the browser's last picture."),
        click.option("--duration-s", "limit_s", type=click.FloatRange(min=0, min_open=True), default=40.0,
                     show_default=True, help="How long the film is watched, waiting included."),
        click.option("--abr", type=click.Choice(["dynamic", "bola", "throughput"]), default="dynamic",
                     show_default=True, help="Which of dash.js's rules choose the quality."),
        click.option("--player", type=click.Choice(["browser", "headless"]), default="browser", show_default=True,
                     help="dash.js in a browser, or its rules without decoding."),
        click.option("--film", help="bunny, synthetic, or a file with a film.  [default: bunny where it was fetched]"),
        click.option("--ladder", type=click.Choice(["1080p", "8k"]), default="1080p", show_default=True,
                     help="The study's qualities, or those and 1440p, 4K and 8K in size only."),
    ):  # fmt: skip
        function = option(function)
    return function


def application(**asked: Any) -> Streams:
    """Give the application that `options` describe."""
    from mmwemu.apps.stream.application import Streams

    return Streams(**asked)


@click.command("stream")
@options
@click.option("--exclude-cpu-bound", is_flag=True, help="Leave plays that the computer did not keep up with out.")
@replay_options(repetitions=3)
def command(replaying: Replaying, *, exclude_cpu_bound: bool, **asked: Any) -> int:
    """Play a film by DASH over patterns; the study's video experiment."""
    from mmwemu.apps.stream.summary import stream_table
    from mmwemu.results import store

    streams = application(**asked)
    with progress() as on_progress:
        streams.make_film(on_progress)
    with replaying.results("stream", asdict(streams)) as (writer, folder):
        runs = replaying.run(streams, writer)
        groups = stream_table(store.to_frame(runs), exclude_cpu_bound=exclude_cpu_bound)
        _plot(writer, runs, writer.folder / "plots")
    return replaying.conclude(folder, runs, {"streams": [asdict(g) for g in groups]}, lambda: print_streams(groups))


def _plot(writer: Writer, runs: Sequence[StreamRun], folder: Path) -> None:
    from mmwemu.apps.stream import figures as stream_figures

    traces = []
    for run in runs:
        tables = writer.tables(run.run)
        traces.append(stream_figures.StreamTrace(run.pattern, run.rat, tables["buffer"], tables["stalls"]))
    stream_figures.plot_buffer(traces, folder / "buffer.png", "Loaded ahead")
    stream_figures.plot_bytes(traces, folder / "bytes.png", "Received and played")
    stream_figures.plot_quality(traces, folder / "quality.png", "Quality")


def print_streams(groups: list[StreamGroup]) -> None:
    """Print the table of streams: means over the runs."""
    rows = []
    for group in groups:
        mean = {name: estimate.mean for name, estimate in group.metrics.items()}
        rate = group.metrics["bitrate_mean_bps"]
        interval = f"{mbps(rate.low):.2f} - {mbps(rate.high):.2f}" if rate.n > 1 else "-"
        notes = [
            f"{count} {what}"
            for count, what in (
                (group.timeouts, "did not begin"),
                (group.failed, "failed"),
                (group.invalid, "not valid"),
                (group.cpu_bound, "CPU-bound"),
            )
            if count
        ]
        rows.append(
            (
                group.pattern,
                f"{group.start_at_s:g} s",
                _number(mean["startup_s"], 2),
                _number(mean["stalls"], 1),
                _number(mean["stall_s"], 1),
                _number(mbps(mean["bitrate_mean_bps"]), 2),
                interval,
                _number(mean["switches"], 1),
                _number(mean["buffer_mean_s"], 1),
                _number(mbps(mean["qoe_bps"]), 2),
                group.runs,
                ", ".join(notes),
            )
        )
    header = ("pattern", "from", "start-up [s]", "stalls", "stalled [s]", "video [Mbit/s]", "95 % interval", "switches")
    print_table((*header, "buffer [s]", "QoE", "runs", ""), rows, right=range(1, 11))


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if value == value else "-"
