"""Application that runs bulk flows with concurrent ping: throughput, and delay under load."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from mmwemu.apps.application import Context, Go, Outcome
from mmwemu.apps.flow.client import GRACE_S, FlowSettings, find_iperf3, flow
from mmwemu.apps.flow.record import FlowRun
from mmwemu.apps.flow.subpath import Subpath, ends
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.link.settings import LinkSettings
from mmwemu.probe.ping import find_ping, pinging
from mmwemu.probe.tcp import INTERVAL_S, sampling_tcp
from mmwemu.results.records import Run

if TYPE_CHECKING:
    import pandas as pd

# Concurrent flows need ports of their own.
_FIRST_PORT = 5201
_PORTS = 1000


@dataclass(frozen=True)
class Flows:
    """Settings: the flow, the intervals of concurrent pings and samples of the TCP state, s, and the subpaths.

    There is a case for each of ``subpaths``, which take the place of the flow's own unless there are none.
    """

    flow: FlowSettings = field(default_factory=FlowSettings)
    ping_interval_s: float = 0.02
    tcp_interval_s: float = INTERVAL_S
    subpaths: tuple[Subpath, ...] = ()

    name: ClassVar[str] = "flow"
    record: ClassVar[type[Run]] = FlowRun

    @property
    def cases(self) -> tuple[FlowSettings, ...]:
        """The flow over each subpath."""
        return tuple(replace(self.flow, subpath=one) for one in dict.fromkeys(self.subpaths)) or (self.flow,)

    @property
    def uses_tcp(self) -> bool:
        """Whether the flow is one of TCP."""
        return self.flow.protocol == "tcp"

    @property
    def needs_edge(self) -> bool:
        """Whether a flow ends at an edge."""
        return any(case.subpath != "whole" for case in self.cases)

    def expected_s(self, case: FlowSettings, settings: LinkSettings, clients: int) -> float:
        """Return the length of the flow, s."""
        return case.warm_up_s + case.duration_s

    def prepare(self, folder: Path, on_progress: OnProgress = ignore) -> PreparedFlows:
        """Find the tools.

        Raises
        ------
        MissingError
            If iperf3 or ping is not installed.
        """
        find_iperf3()
        find_ping()
        return PreparedFlows(self)


@dataclass(frozen=True)
class PreparedFlows:
    """Flows ready to begin."""

    asked: Flows
    hosts: None = None

    def before(self, context: Context, case: FlowSettings) -> None:
        """Prepare nothing."""

    def run(self, context: Context, case: FlowSettings, number: int, go: Go) -> Outcome:
        """Run the flow once; table ``ping`` has the round trips, table ``tcp`` the state of the TCP connections."""
        client, server = ends(context.testbed, context.client, case.subpath)
        port = _FIRST_PORT + number % _PORTS
        with sampling_tcp(context.testbed, self.asked.tcp_interval_s, (client, server)) as samples:
            go()
            with pinging(client, server.address, self.asked.ping_interval_s) as pings:
                outcome = flow(client, server, case, port, context.tcp.pacing_bps)
            tcp = samples.frame()
        columns: dict[str, object] = {
            "protocol": case.protocol,
            "direction": case.direction,
            "streams": case.streams,
            "offered_bps": case.rate_bps,
            "subpath": case.subpath,
            "warm_up_s": case.warm_up_s,
            "limit_s": case.warm_up_s + case.duration_s + GRACE_S,
            **asdict(outcome),
            **_round_trips(pings.samples),
        }
        ours = tcp["local"].str.endswith(f":{port}") | tcp["peer"].str.endswith(f":{port}")
        return Outcome(columns, {"ping": pings.samples, "tcp": tcp[ours]}, measured_after_s=case.warm_up_s)


def _round_trips(pings: pd.DataFrame) -> dict[str, object]:
    """Return the columns of a `FlowRun` from ping."""
    rtts_s = pings["rtt_s"].dropna()
    quantiles = {"rtt_min_s": 0.0, "rtt_median_s": 0.5, "rtt_p95_s": 0.95, "rtt_max_s": 1.0}
    values = {name: float(rtts_s.quantile(share)) if len(rtts_s) else None for name, share in quantiles.items()}
    return {"pings": len(pings), "pings_lost": int(pings["rtt_s"].isna().sum()), **values}
