"""mmwemu run stream."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.link import link_options
from mmwemu.cli.output import json_option, print_json, print_table, progress
from mmwemu.core.units import mbps

if TYPE_CHECKING:
    from mmwemu.report.streams import Streams


@click.command("stream")
@click.option("--pattern", "patterns", multiple=True, required=True,
              help="Pattern file or shipped pattern; may be given more than once.")  # fmt: skip
@click.option("--ladder", type=click.Choice(["1080p", "8k"]), default="1080p", show_default=True,
              help="The study's qualities, or those and 1440p, 4K and 8K in size only.")  # fmt: skip
@click.option("--film", help="bunny, synthetic, or a file with a film.  [default: bunny where it was fetched]")
@click.option("--player", type=click.Choice(["browser", "headless"]), default="browser", show_default=True,
              help="dash.js in a browser, or its rules without decoding.")  # fmt: skip
@click.option("--abr", type=click.Choice(["dynamic", "bola", "throughput"]), default="dynamic", show_default=True,
              help="Which of dash.js's rules choose the quality.")  # fmt: skip
@click.option("--duration-s", "limit_s", type=click.FloatRange(min=0, min_open=True), default=40.0, show_default=True,
              help="How long the film is watched, waiting included.")  # fmt: skip
@click.option("--repetitions", "-n", type=click.IntRange(min=1), default=3, show_default=True,
              help="Plays over each pattern.")  # fmt: skip
@click.option("--start-at", "starts_at_s", type=click.FloatRange(min=0), multiple=True, default=(0.0,),
              show_default=True, help="Time in the pattern to start at, s; may be given more than once.")  # fmt: skip
@click.option("--cc", "congestion_control", default="cubic", show_default=True,
              help="TCP congestion control of both ends.")  # fmt: skip
@click.option("--keep", is_flag=True, help="Keep each player's own record, and the browser's last picture.")
@click.option("--exclude-cpu-bound", is_flag=True, help="Leave plays that the computer did not keep up with out.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of random loss.")
@link_options
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Results folder.  [default: results/UTC-stream]")
@json_option
def stream(
    patterns: tuple[str, ...],
    output: Path | None,
    as_json: bool,
    delay_ms: float,
    exclude_cpu_bound: bool,
    **options: Any,
) -> int:
    """Play a film by DASH over patterns; the study's video experiment."""
    from mmwemu.cli.run import exit_code
    from mmwemu.report import stream_figures, streams
    from mmwemu.results import store
    from mmwemu.study.streams import StreamPlan, run_streams

    plan = StreamPlan(delay_s=delay_ms / 1e3, **options)
    output = output or store.default_path(Path("results"), "stream")
    experiment = store.Experiment("stream", sys.argv, {"patterns": list(patterns), **asdict(plan)})
    with store.create(experiment, output) as writer, progress() as on_progress:
        runs = run_streams(patterns, plan, writer, on_progress)
        groups = streams.stream_table(store.to_frame(runs), exclude_cpu_bound=exclude_cpu_bound)
        tables = [writer.tables(run.run) for run in runs]
        traces = [
            stream_figures.StreamTrace(run.pattern, run.rat, table["buffer"], table["stalls"])
            for run, table in zip(runs, tables, strict=True)
        ]
        plots = writer.folder / "plots"
        plots.mkdir()
        stream_figures.plot_buffer(traces, plots / "buffer.png", "Loaded ahead")
        stream_figures.plot_bytes(traces, plots / "bytes.png", "Received and played")
        stream_figures.plot_quality(traces, plots / "quality.png", "Quality")
    if as_json:
        print_json({"folder": output, "streams": [asdict(g) for g in groups], "runs": [asdict(run) for run in runs]})
    else:
        print_streams(groups)
        click.echo(f"results: {output}")
    return exit_code(runs)


def print_streams(groups: list[Streams]) -> None:
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
