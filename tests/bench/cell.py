"""CPU seconds of the cell program for each simulated second (targets: mmWave 1, LTE 2), and the levels reached."""

import resource

import numpy as np

from mmwemu.scenario import read
from mmwemu.scenario.changes import Changes
from mmwemu.simulate.ns3 import Ns3Engine


def child_cpu_s() -> float:
    """Give the CPU time of all ended children, s."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


print("scenario             rat     CPU s/s  LOS dB  NLOS dB  LOS Mbit/s  NLOS Mbit/s")
for name in ("s1-long-nlos", "s2-crossings", "s3-people-and-trees", "s4-outage"):
    for rat in ("mmwave", "lte"):
        before = child_cpu_s()
        trace = Ns3Engine().simulate(read.load(name), rat, 1)
        cost = (child_cpu_s() - before) / trace.duration_s
        sending = trace.time_s > 0.5
        los, nlos = sending & (trace.los == 1), sending & (trace.los == 0)
        levels = [np.nanmedian(trace.sinr_db[rows]) for rows in (los, nlos)]
        rates = [trace.throughput_bps[rows].mean() / 1e6 for rows in (los, nlos)]
        print(
            f"{name:<20} {rat:<7} {cost:7.2f} {levels[0]:7.1f} {levels[1]:8.1f} {rates[0]:11.1f} {rates[1]:12.1f}",
            flush=True,
        )

print("transport  CPU s/s  Mbit/s  (s1, 4 s; targets: lite 0.15, udp 1.2, tcp 6)")
for transport in ("lite", "udp", "tcp"):
    before = child_cpu_s()
    scenario = Changes(transport=transport, duration_s=4.0).apply(read.load("s1"), "mmwave")
    trace = Ns3Engine().simulate(scenario, "mmwave", 1)
    cost = (child_cpu_s() - before) / trace.duration_s
    print(f"{transport:<10} {cost:7.2f} {trace.throughput_bps.mean() / 1e6:7.1f}", flush=True)
