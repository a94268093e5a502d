"""Registration of flows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.application import ApplicationType
from mmwemu.apps.option_types import Number, Rate, Seconds, Whole

if TYPE_CHECKING:
    from mmwemu.apps.flow.application import Flows
    from mmwemu.apps.flow.subpath import Subpath
    from mmwemu.core.requirements import Requirement
    from mmwemu.report.summary import Results, Summary
    from mmwemu.report.view import View

OPTIONS = (
    click.option("--protocol", type=click.Choice(["tcp", "udp"]), default="tcp", show_default=True),
    click.option("--direction", type=click.Choice(["downlink", "uplink"]), default="downlink", show_default=True,
                 help="To the client or to the server."),
    click.option("--rate", "rate_bps", type=Rate(),
                 help="Payload rate offered by each stream, such as 50Mbit/s; required for UDP."),
    click.option("--streams", type=Whole(least=1, most=128), default=1, show_default=True, help="Parallel streams."),
    click.option("--duration-s", type=Number("s", least=1, most=86_400), default=10.0, show_default=True,
                 help="Length of the flow, whole seconds."),
    click.option("--warm-up-s", type=Number("s", most=600), default=0.0, show_default=True,
                 help="Time before that which does not count, whole seconds."),
    click.option("--subpath", "subpaths", type=click.Choice(["whole", "access", "core"]), multiple=True,
                 default=("whole",), show_default=True,
                 help="Between client and server, client and edge, or edge and server; may be given more than once."),
    click.option("--ping-interval-s", type=Seconds(least=0.002), default=0.02, show_default=True,
                 help="Interval of the concurrent pings."),
    click.option("--tcp-interval-s", type=Seconds(least=0.005), default=0.1, show_default=True,
                 help="Interval of samples of the TCP connections' state."),
)  # fmt: skip


def create(ping_interval_s: float, tcp_interval_s: float, subpaths: tuple[Subpath, ...] = (), **settings: Any) -> Flows:
    """Return the flow that the options describe."""
    from mmwemu.apps.flow.application import Flows
    from mmwemu.apps.flow.client import FlowSettings

    return Flows(FlowSettings(**settings), ping_interval_s, tcp_interval_s, subpaths)


def summarize(results: Results, plots: Path) -> Summary:
    """Draw a figure of each flow and return the summary."""
    from mmwemu.apps.flow.summary import summarize

    return summarize(results, plots)


def requirements() -> list[Requirement]:
    """Return the requirements of flows."""
    from mmwemu.core.requirements import tool

    return [tool("iperf3", "run flow", "iperf3"), tool("ping", "run flow", "iputils-ping", "-V")]


def view() -> View:
    """Return how the report page shows the runs."""
    from mmwemu.apps.flow.view import VIEW

    return VIEW


APPLICATION = ApplicationType(
    "Run a TCP or UDP flow by iperf3 with concurrent ping: throughput, and delay under load.",
    OPTIONS, create, summarize, requirements, repetitions=1, view=view,
)  # fmt: skip
