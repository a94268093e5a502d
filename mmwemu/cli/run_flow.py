"""mmwemu run flow."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.link import link_options, warn_of_cost, warn_of_rate
from mmwemu.cli.output import json_option, print_json, print_table, progress
from mmwemu.core.units import mbps, ms, parse_rate

if TYPE_CHECKING:
    from mmwemu.results.records import FlowRun


class Rate(click.ParamType[float]):
    """A rate such as 50Mbit/s."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Give bit/s."""
        return value if isinstance(value, float) else parse_rate(str(value))


@click.command("flow")
@click.option("--pattern", "patterns", multiple=True, required=True,
              help="Pattern file or shipped pattern; may be given more than once.")  # fmt: skip
@click.option("--protocol", type=click.Choice(["tcp", "udp"]), default="tcp", show_default=True)
@click.option("--way", type=click.Choice(["down", "up"]), default="down", show_default=True,
              help="To the client or to the server.")  # fmt: skip
@click.option("--rate", "rate_bps", type=Rate(), help="Payload offered by each stream, such as 50Mbit/s; UDP needs it.")
@click.option("--streams", type=click.IntRange(min=1), default=1, show_default=True, help="Streams side by side.")
@click.option("--duration-s", type=click.FloatRange(min=0, min_open=True), default=10.0, show_default=True,
              help="How long it sends.")  # fmt: skip
@click.option("--ping-interval-s", type=click.FloatRange(min=0.002), default=0.02, show_default=True,
              help="Time between the pings beside it.")  # fmt: skip
@click.option("--tcp-interval-s", type=click.FloatRange(min=0.005), default=0.1, show_default=True,
              help="Time between samples of the TCP connections' state.")  # fmt: skip
@click.option("--repetitions", "-n", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--cc", "congestion_control", default="cubic", show_default=True,
              help="TCP congestion control of both ends.")  # fmt: skip
@link_options
@click.option("--start-at", "starts_at_s", type=click.FloatRange(min=0), multiple=True, default=(0.0,),
              show_default=True, help="Time in the pattern to start at, s; may be given more than once.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of random loss.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Results folder.  [default: results/UTC-flow]")
@json_option
def flow(patterns: tuple[str, ...], output: Path | None, as_json: bool, delay_ms: float, **options: Any) -> int:
    """Run a TCP or UDP flow by iperf3 with ping beside it: throughput, and delay under load."""
    from mmwemu.apps.flow import FlowKind
    from mmwemu.cli.run import exit_code
    from mmwemu.report.flow_figures import plot_flow
    from mmwemu.results import store
    from mmwemu.study.flows import FlowPlan, run_flows

    kind = FlowKind(**{key: options.pop(key) for key in ("protocol", "way", "rate_bps", "streams", "duration_s")})
    plan = FlowPlan(delay_s=delay_ms / 1e3, flow=kind, **options)
    warn_of_cost(plan.tc_mode)
    warn_of_rate(patterns, plan.backend)
    output = output or store.default_path(Path("results"), "flow")
    experiment = store.Experiment("flow", sys.argv, {"patterns": list(patterns), **asdict(plan)})
    with store.create(experiment, output) as writer:
        with progress() as on_progress:
            runs = run_flows(patterns, plan, writer, on_progress)
        (writer.folder / "plots").mkdir()
        for run in runs:
            kept = writer.tables(run.run)
            name = f"{run.pattern}: {run.protocol.upper()} {run.way}, {run.congestion_control}"
            plot_flow(kept, run.way, writer.folder / "plots" / f"flow-{run.run}.png", name)
    if as_json:
        print_json({"folder": output, "runs": [asdict(run) for run in runs]})
    else:
        _print_runs(runs)
        click.echo(f"results: {output}")
    return exit_code(runs)


def _print_runs(runs: list[FlowRun]) -> None:
    rows = []
    for run in runs:
        goodput = "-" if run.goodput_bps is None else f"{mbps(run.goodput_bps):.1f}"
        rtts = ["-" if rtt is None else f"{ms(rtt):.1f}" for rtt in (run.rtt_min_s, run.rtt_median_s, run.rtt_p95_s)]
        lost = run.retransmissions if run.protocol == "tcp" else run.lost_packets
        status = run.status if run.valid else f"{run.status}, not valid"
        rows.append((run.pattern, f"{run.start_at_s:g} s", goodput, *rtts, "-" if lost is None else lost, status))
    header = ("pattern", "from", "goodput [Mbit/s]", "RTT least [ms]", "median", "95 %", "resent or lost", "")
    print_table(header, rows, right=(1, 2, 3, 4, 5, 6))
