"""mmwemu run flow."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.output import print_table
from mmwemu.cli.replaying import Replaying, replay_options
from mmwemu.cli.types import Rate
from mmwemu.core.units import mbps, ms

if TYPE_CHECKING:
    from mmwemu.apps.flow.application import Flows
    from mmwemu.results.records import FlowRun


def options(function: click.decorators.FC) -> click.decorators.FC:
    """Add what can be asked of a flow; `application` reads it."""
    for option in (
        click.option("--tcp-interval-s", type=click.FloatRange(min=0.005), default=0.1, show_default=True,
                     help="Time between samples of the TCP connections' state."),
        click.option("--ping-interval-s", type=click.FloatRange(min=0.002), default=0.02, show_default=True,
                     help="Time between the pings beside it."),
        click.option("--duration-s", type=click.FloatRange(min=0, min_open=True), default=10.0, show_default=True,
                     help="How long it sends."),
        click.option("--streams", type=click.IntRange(min=1), default=1, show_default=True,
                     help="Streams side by side."),
        click.option("--rate", "rate_bps", type=Rate(),
                     help="Payload offered by each stream, such as 50Mbit/s; UDP needs it."),
        click.option("--way", type=click.Choice(["down", "up"]), default="down", show_default=True,
                     help="To the client or to the server."),
        click.option("--protocol", type=click.Choice(["tcp", "udp"]), default="tcp", show_default=True),
    ):  # fmt: skip
        function = option(function)
    return function


def application(ping_interval_s: float, tcp_interval_s: float, **kind: Any) -> Flows:
    """Give the application that `options` describe."""
    from mmwemu.apps.flow.application import Flows
    from mmwemu.apps.flow.client import FlowKind

    return Flows(FlowKind(**kind), ping_interval_s, tcp_interval_s)


@click.command("flow")
@options
@replay_options(repetitions=1)
def command(replaying: Replaying, **asked: Any) -> int:
    """Run a TCP or UDP flow by iperf3 with ping beside it: throughput, and delay under load."""
    from mmwemu.apps.flow.figures import plot_flow

    flows = application(**asked)
    with replaying.results("flow", asdict(flows)) as (writer, folder):
        runs = replaying.run(flows, writer)
        for run in runs:
            kept = writer.tables(run.run)
            name = f"{run.pattern}: {run.protocol.upper()} {run.way}, {run.congestion_control}"
            plot_flow(kept, run.way, writer.folder / "plots" / f"flow-{run.run}.png", name)
    return replaying.conclude(folder, runs, {}, lambda: _print_runs(runs))


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
