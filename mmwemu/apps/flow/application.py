"""Application that runs bulk flows with concurrent ping: throughput, and delay under load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from mmwemu.apps.application import Context, Go, Outcome
from mmwemu.apps.flow.client import find_iperf3, flow
from mmwemu.apps.flow.quic import asked_of, receive
from mmwemu.apps.flow.record import FlowRun
from mmwemu.apps.flow.settings import GRACE_S, Flow, FlowSettings
from mmwemu.apps.flow.subpath import ends
from mmwemu.apps.shared.quic import ngtcp2
from mmwemu.apps.shared.quic.states import states_of
from mmwemu.apps.shared.quic.transfers import Ready, fetching, make_ready, serving
from mmwemu.core.errors import InputError
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
    """Settings: the flows, and the intervals of pings and of samples of the senders, s.

    The flows differ in protocol or subpath.

    Raises
    ------
    InputError
        If there is no flow, or two are the same.
    """

    flows: tuple[FlowSettings, ...] = (FlowSettings(),)
    ping_interval_s: float = 0.02
    tcp_interval_s: float = INTERVAL_S

    name: ClassVar[str] = "flow"
    record: ClassVar[type[Run]] = FlowRun

    def __post_init__(self) -> None:
        if not self.flows:
            raise InputError("protocol", "has no value; at least one is needed")
        twice = next((one.protocol for i, one in enumerate(self.flows) if one in self.flows[:i]), None)
        if twice is not None:
            raise InputError("protocol", f"names {twice} twice")

    @property
    def cases(self) -> tuple[FlowSettings, ...]:
        """The flows."""
        return self.flows

    @property
    def uses_tcp(self) -> bool:
        """Whether all flows are of TCP."""
        return all(one.protocol == "tcp" for one in self.flows)

    @property
    def congestion_controls(self) -> Sequence[str] | None:
        """Those that all flows can have; None: all of the kernel."""
        return ngtcp2.CONGESTION_CONTROLS if self._quic else None

    @property
    def _quic(self) -> bool:
        return any(one.protocol == "quic" for one in self.flows)

    @property
    def needs_edge(self) -> bool:
        """Whether a flow ends at an edge."""
        return any(one.subpath != "whole" for one in self.flows)

    def expected_s(self, case: FlowSettings, settings: LinkSettings, clients: int) -> float:
        """Return the length of the flow, s."""
        return case.warm_up_s + case.duration_s

    def prepare(self, folder: Path, on_progress: OnProgress = ignore) -> PreparedFlows:
        """Find the tools, and make a certificate for QUIC.

        Raises
        ------
        MissingError
            If ping is not installed, or iperf3, or for QUIC the programs of ngtcp2 or openssl.
        """
        find_ping()
        if any(one.protocol != "quic" for one in self.flows):
            find_iperf3()
        return PreparedFlows(self, make_ready(folder) if self._quic else None)


@dataclass(frozen=True)
class PreparedFlows:
    """Flows ready to begin."""

    asked: Flows
    quic: Ready | None
    hosts: None = None

    def before(self, context: Context, case: FlowSettings) -> None:
        """Prepare nothing."""

    def run(self, context: Context, case: FlowSettings, number: int, go: Go) -> Outcome:
        """Run the flow once; table ``ping`` has the round trips, ``tcp`` or ``quic`` the state of the connections."""
        run = self._run_quic if case.protocol == "quic" else self._run_iperf3
        outcome, pings, tables, because = run(context, case, number, go)
        columns: dict[str, object] = {
            "protocol": case.protocol,
            "direction": case.direction,
            "streams": case.streams,
            "offered_bps": case.rate_bps,
            "subpath": case.subpath,
            "warm_up_s": case.warm_up_s,
            "limit_s": case.warm_up_s + case.duration_s + GRACE_S,
            **asdict(outcome),
            **_round_trips(pings),
        }
        return Outcome(columns, {"ping": pings, **tables}, because, case.warm_up_s)

    def _run_iperf3(
        self, context: Context, case: FlowSettings, number: int, go: Go
    ) -> tuple[Flow, pd.DataFrame, dict[str, pd.DataFrame], str]:
        client, server = ends(context.testbed, context.client, case.subpath)
        port = _FIRST_PORT + number % _PORTS
        with sampling_tcp(context.testbed, self.asked.tcp_interval_s, (client, server)) as samples:
            go()
            with pinging(client, server.address, self.asked.ping_interval_s) as pings:
                outcome = flow(client, server, case, port, context.tcp.pacing_bps)
            tcp = samples.frame()
        ours = tcp["local"].str.endswith(f":{port}") | tcp["peer"].str.endswith(f":{port}")
        return outcome, pings.samples, {"tcp": tcp[ours]}, ""

    def _run_quic(
        self, context: Context, case: FlowSettings, number: int, go: Go
    ) -> tuple[Flow, pd.DataFrame, dict[str, pd.DataFrame], str]:
        assert self.quic is not None
        client, server = ends(context.testbed, context.client, case.subpath)
        receiver, sender = (client, server) if case.direction == "downlink" else (server, client)
        asked = asked_of(case, context.congestion_control)
        with serving(sender, asked, self.quic, number) as servers:
            go()
            pinged = pinging(client, server.address, self.asked.ping_interval_s)
            with pinged as pings, fetching(receiver, servers) as transfers:
                outcome = receive(transfers, case, self.asked.tcp_interval_s)
        states = states_of(transfers.each, context.testbed, context.client, context.congestion_control)
        return outcome, pings.samples, {"quic": states}, transfers.held_up_because


def _round_trips(pings: pd.DataFrame) -> dict[str, object]:
    """Return the columns of a `FlowRun` from ping."""
    rtts_s = pings["rtt_s"].dropna()
    quantiles = {"rtt_min_s": 0.0, "rtt_median_s": 0.5, "rtt_p95_s": 0.95, "rtt_max_s": 1.0}
    values = {name: float(rtts_s.quantile(share)) if len(rtts_s) else None for name, share in quantiles.items()}
    return {"pings": len(pings), "pings_lost": int(pings["rtt_s"].isna().sum()), **values}
