"""Bulk flows over patterns with ping beside them: throughput, and what it does to the delay."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.apps.flow import GRACE_S, Flow, FlowKind, find_iperf3, flow
from mmwemu.apps.ping import find_ping, pinging
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.emulate.backend import open_testbed
from mmwemu.emulate.link import Testbed
from mmwemu.emulate.tcp import INTERVAL_S, sampling_tcp
from mmwemu.results.records import FlowRun
from mmwemu.results.store import Writer
from mmwemu.study.replay import ReplayPlan, repetitions, replay

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FlowPlan(ReplayPlan):
    """Which flow to run, how often to ping beside it, and how often to look at the state of TCP, s."""

    flow: FlowKind = field(default_factory=FlowKind)
    ping_interval_s: float = 0.02
    tcp_interval_s: float = INTERVAL_S


def run_flows(
    patterns: Sequence[str | Path], plan: FlowPlan, writer: Writer, on_progress: OnProgress = ignore
) -> list[FlowRun]:
    """Run a plan over each pattern and keep every run in ``writer``.

    The tables of a run are ``ping``, its round trips, and ``tcp``, the state of its TCP connections.

    Raises
    ------
    InputError
        If a pattern cannot be used.
    MissingError
        If the machine lacks what it takes.
    MmwemuError
        If ping or disk fail; runs so far are kept.
    """
    todo = repetitions(patterns, plan, [plan.flow])
    find_iperf3()
    find_ping()
    done: list[FlowRun] = []
    with ExitStack() as stack:
        testbed = stack.enter_context(open_testbed(todo[0].settings, writer.folder, plan.backend, plan.tc_mode))
        testbed.set_congestion_control(plan.congestion_control)
        samples = stack.enter_context(sampling_tcp(testbed, plan.tcp_interval_s))
        for run in todo:
            on_progress(Progress("flow", run.number - 1, len(todo)))
            act = partial(_measure, testbed, plan.flow, plan.ping_interval_s)
            (outcome, pings), columns, telemetry = replay(testbed, run, act)
            columns |= {"congestion_control": plan.congestion_control, "limit_s": plan.flow.duration_s + GRACE_S}
            columns |= asdict(outcome)
            columns |= _round_trips(pings)
            kind = plan.flow
            row: Any = {
                "application": "flow",
                "protocol": kind.protocol,
                "way": kind.way,
                "streams": kind.streams,
                "offered_bps": kind.rate_bps,
                **columns,
            }
            done.append(FlowRun(**row))
            writer.add(done[-1], telemetry, {"ping": pings, "tcp": samples.since(testbed.epoch_ns())})
        on_progress(Progress("flow", len(todo), len(todo)))
    return done


def _measure(testbed: Testbed, kind: FlowKind, ping_interval_s: float) -> tuple[Flow, pd.DataFrame]:
    with pinging(testbed, ping_interval_s) as pings:
        outcome = flow(testbed, kind)
    return outcome, pings.samples


def _round_trips(pings: pd.DataFrame) -> dict[str, object]:
    """Give the columns of a `FlowRun` that ping measured."""
    came = pings["rtt_s"].dropna()
    quantiles = {"rtt_min_s": 0.0, "rtt_median_s": 0.5, "rtt_p95_s": 0.95, "rtt_max_s": 1.0}
    values = {name: float(came.quantile(share)) if len(came) else None for name, share in quantiles.items()}
    return {"pings": len(pings), "pings_lost": int(pings["rtt_s"].isna().sum()), **values}
