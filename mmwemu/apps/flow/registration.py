"""Registration of flows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.application import ApplicationType
from mmwemu.apps.option_types import Number, Rate, Seconds, Several, Whole

if TYPE_CHECKING:
    from mmwemu.apps.flow.application import Flows
    from mmwemu.apps.flow.settings import Protocol
    from mmwemu.apps.flow.subpath import Subpath
    from mmwemu.core.requirements import Requirement
    from mmwemu.report.summary import Results, Summary
    from mmwemu.report.view import View

OPTIONS = (
    click.option("--protocol", "protocols", type=Several(click.Choice(["tcp", "udp", "quic"])), default="tcp",
                 show_default=True, help="Or several: tcp,quic. QUIC by the programs of ngtcp2, the others by iperf3."),
    click.option("--direction", type=click.Choice(["downlink", "uplink"]), default="downlink", show_default=True,
                 help="To the client or to the server."),
    click.option("--rate", "rate_bps", type=Rate(),
                 help="Payload rate offered by each stream, such as 50Mbit/s; required for UDP."),
    click.option("--streams", type=Whole(least=1, most=128), default=1, show_default=True,
                 help="Parallel streams, with TCP and QUIC connections of their own."),
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
                 help="Interval of samples of the state of TCP or QUIC connections."),
)  # fmt: skip


def create(
    protocols: Sequence[Protocol],
    subpaths: Sequence[Subpath],
    ping_interval_s: float,
    tcp_interval_s: float,
    **settings: Any,
) -> Flows:
    """Return the flows that the options describe: of each protocol over each subpath."""
    from mmwemu.apps.flow.application import Flows
    from mmwemu.apps.flow.settings import FlowSettings

    flows = tuple(
        FlowSettings(protocol, subpath=subpath, **settings)
        for protocol in protocols
        for subpath in dict.fromkeys(subpaths)
    )
    return Flows(flows, ping_interval_s, tcp_interval_s)


def summarize(results: Results, plots: Path) -> Summary:
    """Draw a figure of each flow and return the summary."""
    from mmwemu.apps.flow.summary import summarize

    return summarize(results, plots)


def requirements() -> list[Requirement]:
    """Return the requirements of flows."""
    from mmwemu.apps.shared.quic import ngtcp2
    from mmwemu.core.requirements import tool

    return [
        tool("iperf3", "run flow", "iperf3"),
        tool("ping", "run flow", "iputils-ping", "-V"),
        *ngtcp2.examine("run flow --protocol quic"),
    ]


def view() -> View:
    """Return how the report page shows the runs."""
    from mmwemu.apps.flow.view import VIEW

    return VIEW


APPLICATION = ApplicationType(
    "Run a flow of TCP, UDP or QUIC with concurrent ping: throughput, and delay under load.",
    OPTIONS, create, summarize, requirements, repetitions=1, view=view,
)  # fmt: skip
