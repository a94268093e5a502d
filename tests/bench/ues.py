"""Several UEs, the uplink and the two TTIs: CPU seconds a simulated second (target for 10 UEs: 1), and the rates.

Two seconds of s1 with all UEs in sight, transport lite. Rates are means from 0.3 s on, Mbit/s, of all UEs together:
those delivered down and up, and the mean rate that one could have had alone.
"""

from __future__ import annotations

import resource
from dataclasses import replace

import numpy as np

from mmwemu.scenario import read
from mmwemu.scenario.model import MmwaveRadio, Scenario, Ue, Uplink, Waypoint
from mmwemu.simulate.ns3 import Ns3Engine

RATE_BPS = 5e9


def child_cpu_s() -> float:
    """Return the CPU time of all ended children, s."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cell(ues: int, uplink_rate_bps: float = 0.0, **radio: object) -> Scenario:
    """Return a cell of UEs side by side."""
    s1 = read.load("s1")
    places = [Waypoint(0.0, (75.0, -2.0 - 2 * i, 1.0)) for i in range(ues)]
    return replace(
        s1,
        duration_s=2.0,
        ues=tuple(Ue((place,), RATE_BPS, uplink_rate_bps, 0.1) for place in places),
        mmwave=replace(MmwaveRadio(), **radio),  # type: ignore[arg-type]
    )


def row(label: str, scenario: Scenario) -> None:
    """Print one line."""
    before = child_cpu_s()
    traces = Ns3Engine().simulate_ues(scenario, "mmwave", 1)
    cost = (child_cpu_s() - before) / scenario.duration_s
    down = sum(trace.throughput_bps[300:].mean() for trace in traces) / 1e6
    alone = np.mean([trace.phy_rate_bps[300:].mean() for trace in traces]) / 1e6
    up = sum(trace.optional.get("uplink_throughput_bps", np.zeros(301))[300:].mean() for trace in traces) / 1e6
    print(f"{label:<44} {cost:7.3f} {down:8.0f} {up:8.0f} {alone:8.0f}", flush=True)


def main() -> None:
    """Print all figures."""
    print(f"{'':<44} CPU s/s     down       up    alone")
    for ues in (1, 2, 10, 20):
        row(f"{ues} UEs", cell(ues))
    row("10 UEs, flexible TTI, proportional fair", cell(10, tti="flexible", scheduler="proportional-fair"))
    for tti in ("fixed", "flexible"):
        row(f"1 UE, {tti} TTI, uplink 20 %", cell(1, tti=tti, uplink=Uplink(share=0.2)))
        row(f"1 UE, {tti} TTI, uplink 20 %, both full", cell(1, RATE_BPS, tti=tti, uplink=Uplink(share=0.2)))
        row(f"10 UEs, {tti} TTI, uplink 20 %, both full", cell(10, RATE_BPS, tti=tti, uplink=Uplink(share=0.2)))


main()
