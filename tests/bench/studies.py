"""What the studies of TCP over mmWave report, in full: scenarios of Hurtig 2019, Zhang et al. and Krasilov et al.

With CPU seconds a simulated second, and the greatest memory of a simulation so far in MB.
"""

from __future__ import annotations

import resource
from dataclasses import replace

import numpy as np

from mmwemu.scenario import read
from mmwemu.scenario.changes import Changes
from mmwemu.scenario.model import Scenario
from mmwemu.simulate.ns3 import Ns3Engine
from mmwemu.trace.model import Trace


def simulate(scenario: Scenario, label: str, **changes: object) -> Trace:
    """Return a trace, and print its cost and the greatest memory so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    trace = Ns3Engine().simulate(Changes(**changes).apply(scenario, "mmwave"), "mmwave", 1)  # type: ignore[arg-type]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{label:<44} {cpu_s / trace.duration_s:7.2f} {after.ru_maxrss / 1024:6.0f}", end=" ")
    return trace


def transports() -> None:
    """Compare lite and udp in each 100 ms."""
    for name in ("s1", "s2", "s3"):
        rates = []
        for transport in ("lite", "udp"):
            trace = simulate(read.load(name), f"{name} {transport}", transport=transport)
            rates.append(trace.throughput_bps.reshape(-1, 100).mean(axis=1)[3:])
            print()
        off = np.abs(rates[0] - rates[1]).max() / 1e6
        print(f"{'':<10}greatest difference of 100 ms: {off:.2f} Mbit/s", flush=True)


def zhang() -> None:
    """Print delays, losses and timeouts."""
    cases: list[tuple[str, dict[str, object], float]] = [
        ("zhang1", {}, 1e9),
        ("zhang2", {}, 1e9),
        ("zhang2", {}, 3e8),
        ("zhang2", {"rlc_buffer_bytes": 3_000_000}, 1e9),
        ("zhang3", {"congestion_control": "newreno"}, 1e9),
        ("zhang3", {"congestion_control": "cubic"}, 1e9),
    ]
    for name, changes, rate_bps in cases:
        scenario = read.load(name)
        scenario = replace(scenario, traffic=replace(scenario.traffic, rate_bps=rate_bps))
        label = " ".join([name, f"{rate_bps / 1e6:g} Mbit/s", *map(str, changes.values())])
        trace = simulate(scenario, label, transport="tcp", **changes)
        delay_ms = trace.optional["ran_delay_s"] * 1e3
        states = [np.nanmedian(delay_ms[(trace.los == los) & (trace.time_s > 1)]) for los in (1, 0)]
        again = int(trace.optional["retransmissions"].sum())
        print(
            f"RAN delay {states[0]:.2f}, {states[1]:.0f} ms; drops {trace.drops.sum():.0f}, sent again {again}",
            flush=True,
        )


def krasilov() -> None:
    """Print the download rate by the size of the file."""
    for control in ("cubic", "bbr"):
        for megabytes in (1, 3, 10, 30, 100):
            size = megabytes * 1_000_000
            changes = {"transport": "tcp", "duration_s": 2.0, "file_bytes": size, "congestion_control": control}
            trace = simulate(read.load("krasilov1"), f"krasilov1 {control} {megabytes} MB", **changes)
            arrived = np.cumsum(trace.throughput_bps) * trace.bin_s / 8
            took_s = trace.time_s[min(len(arrived) - 1, int(np.searchsorted(arrived, size - 1)))] - 0.1
            print(f"{size * 8 / took_s / 1e6:.0f} Mbit/s", flush=True)


def main() -> None:
    """Print all figures."""
    print(f"{'':<44} CPU s/s     MB")
    transports()
    zhang()
    krasilov()


main()
