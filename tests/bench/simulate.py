"""CPU seconds of the cell program for each simulated second, and the levels reached, beside those of facts known.

Five seeds; SINR is the median, throughput the mean from 0.5 s on, each the median over the seeds. Targets of the cost:
mmWave 0.15, from a channel file 0.03, LTE 2.
"""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from mmwemu.scenario import read
from mmwemu.scenario.changes import Changes
from mmwemu.scenario.geometry import los_changes_s
from mmwemu.scenario.model import Scenario
from mmwemu.simulate.ns3 import Ns3Engine
from mmwemu.trace.model import Trace

SEEDS = range(1, 6)
# By a prototype and the report of Hurtig 2019: SINR with and without line of sight, dB, rate without, Mbit/s.
KNOWN = {"s1": (38.7, -1.2, 261.0), "s2": (36.0, -5.1, 110.0), "s3": (39.0, -0.9, 261.0)}


def child_cpu_s() -> float:
    """Return the CPU time of all ended children, s."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cost(scenario: Scenario, run: Callable[[], Trace]) -> tuple[float, Trace]:
    """Return CPU seconds a simulated second, and the trace."""
    before = child_cpu_s()
    trace = run()
    return (child_cpu_s() - before) / scenario.duration_s, trace


def levels(trace: Trace) -> list[float]:
    """Return SINR with and without line of sight, dB, the rates, Mbit/s, and the spread of SINR without it, dB."""
    sending = trace.time_s > 0.5
    free, hidden = sending & (trace.los == 1), sending & (trace.los == 0)
    sinr = [float(np.median(trace.sinr_db[rows])) if rows.any() else np.nan for rows in (free, hidden)]
    rates = [float(trace.throughput_bps[rows].mean()) / 1e6 if rows.any() else np.nan for rows in (free, hidden)]
    low, high = np.quantile(trace.sinr_db[hidden], [0.05, 0.95]) if hidden.any() else (np.nan, np.nan)
    return [*sinr, *rates, float(high - low)]


def change_error_s(trace: Trace, scenario: Scenario) -> float:
    """Return the greatest time between a change of line of sight in the trace and in the geometry, s."""
    found = trace.time_s[1:][np.diff(trace.los) != 0]
    expected = los_changes_s(scenario)
    return float(np.abs(found - expected).max()) if len(found) == len(expected) > 0 else np.nan


def row(label: str, scenario: Scenario, rat: str = "mmwave", seeds: range = SEEDS) -> list[float]:
    """Print one line, and return its levels."""
    runs = [cost(scenario, lambda seed=seed: Ns3Engine().simulate(scenario, rat, seed)) for seed in seeds]
    middle = [float(value) for value in np.median([levels(trace) for _, trace in runs], axis=0)]
    changes_ms = max(change_error_s(trace, scenario) for _, trace in runs) * 1e3
    cpu = np.median([cpu for cpu, _ in runs])
    print(
        f"{label:<34} {cpu:7.3f} " + " ".join(f"{value:8.1f}" for value in middle) + f" {changes_ms:8.1f}", flush=True
    )
    return middle


def main() -> None:
    """Print all figures."""
    names = ("CPU s/s", "LOS dB", "NLOS dB", "LOS Mb/s", "NLOS Mb/s", "spread dB", "change ms")
    print(f"{'':<34} " + " ".join(f"{name:>8}" for name in names))
    for name in ("s1", "s2", "s3", "s4"):
        found = row(f"{name} mmwave", read.load(name))
        if name in KNOWN:
            los_db, nlos_db, nlos_mbps = KNOWN[name]
            off = f"{found[0] - los_db:+.1f} dB, {found[1] - nlos_db:+.1f} dB, {found[3] / nlos_mbps - 1:+.0%}"
            print(f"{'':<10}against the known levels: LOS {off} without", flush=True)
    row("s1 lte", read.load("s1"), "lte", range(1, 2))

    s1 = read.load("s1")
    consistent = replace(s1, mmwave=replace(s1.mmwave, evolution="consistent"))
    row("s1 consistent", consistent)
    umi = replace(s1.mmwave, path_loss="umi-street-canyon", frame="numerology3")
    row("s1 UMi", replace(s1, mmwave=umi))
    row("s1 UMi consistent", replace(s1, mmwave=replace(umi, evolution="consistent")))
    full = replace(umi, evolution="consistent", shadowing=True)
    row("s1 UMi consistent, shadowing", replace(s1, mmwave=full))
    row("s1 UMi consistent, shadowing, SVD", replace(s1, mmwave=replace(full, beam="svd")))
    row("s1 consistent, diffraction", replace(s1, mmwave=replace(consistent.mmwave, los_change="diffraction")))
    row("s1 consistent, codebook", replace(s1, mmwave=replace(consistent.mmwave, beam="codebook")))
    with tempfile.TemporaryDirectory() as folder:
        for label, scenario in (("s1", s1), ("s1 consistent", consistent)):
            file = Path(folder) / "channel"
            Ns3Engine(channel_out=file).simulate(scenario, "mmwave", 1)
            engine = Ns3Engine(channel_in=file)
            cpu, _ = cost(scenario, lambda e=engine, s=scenario: e.simulate(s, "mmwave", 1))
            print(f"{label + ' from a channel file':<34} {cpu:7.3f}   ({file.stat().st_size / 1e6:.0f} MB)", flush=True)
    print("transport in 4 s of s1: CPU s/s (targets: lite 0.15, udp 1.2, tcp 6), Mbit/s")
    for transport in ("lite", "udp", "tcp"):
        scenario = Changes(transport=transport, duration_s=4.0).apply(s1, "mmwave")
        cpu, trace = cost(scenario, lambda each=scenario: Ns3Engine().simulate(each, "mmwave", 1))
        print(f"{transport:<34} {cpu:7.3f} {trace.throughput_bps.mean() / 1e6:8.1f}", flush=True)


main()
