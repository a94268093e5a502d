"""Print what a cell's scheduler costs: TCP to several clients at once, beside clients that share one queue.

Run it as ``python tests/bench/cell.py [SECONDS [ROUNDS]]``; each transfer takes that long (default 5 s), all in turns,
and the table has medians of the rounds (default 5).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

from link import SENDER, constant, cpu_s

from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings, Scheduler
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.testbed import open_testbed
from mmwemu.testbed.topology import Topology

# Counts what comes by one connection between two instants; the kernel discards it.
RECEIVER = """
import os, socket, sys, time
connection = socket.create_connection((os.environ["MMWEMU_SERVER"], 5001))
print("ready", flush=True)
begin_s = float(sys.stdin.readline())
end_s, count, nothing = begin_s + float(sys.argv[1]), 0, bytearray(1 << 20)
while (now_s := time.monotonic()) < end_s:
    size = connection.recv_into(nothing, 0, socket.MSG_TRUNC)
    count += size * (now_s >= begin_s)
print(count * 8 / (end_s - begin_s))
"""
WARM_S = 2.0


@dataclass(frozen=True)
class Case:
    """What is measured."""

    clients: int
    scheduler: Scheduler
    slot_s: float = 0.0

    @property
    def name(self) -> str:
        """For the table."""
        slot = f", slots of {self.slot_s * 1e6:g} us" if self.slot_s else ""
        return f"{self.clients} clients, {self.scheduler}{slot}"


CASES = [
    Case(10, "fifo"),
    *(Case(10, "round-robin", slot_s) for slot_s in (125e-6, 250e-6, 500e-6, 1e-3)),
    Case(10, "proportional-fair", 500e-6),
    Case(20, "fifo"),
    Case(20, "proportional-fair", 500e-6),
]


def transfer(case: Case, seconds: float, rate_bps: float = 1e9) -> tuple[float, float, float, float]:
    """Send with TCP to all clients; goodput of all, cores of the emulator, lateness (99 %) and Jain's index."""
    settings = LinkSettings(constant(rate_bps), scheduler=case.scheduler, slot_s=case.slot_s, start="now")
    with open_testbed(Setup(Topology(case.clients))) as testbed:
        testbed.set_congestion_control("cubic")
        testbed.start(settings)
        with testbed.server.popen([sys.executable, "-c", SENDER], stdout=subprocess.PIPE) as sender:
            assert sender.stdout is not None
            sender.stdout.readline()
            argv = [sys.executable, "-c", RECEIVER, str(seconds)]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            receivers = [client.popen(argv, **pipes) for client in testbed.clients]
            for receiver in receivers:
                receiver.stdout.readline()
            pid = testbed.sandboxes[0].pid
            begin_s = time.monotonic() + WARM_S
            before_s = cpu_s(pid)
            for receiver in receivers:
                receiver.stdin.write(f"{begin_s}\n")
                receiver.stdin.flush()
            rates_bps = [float(receiver.communicate(timeout=60)[0]) for receiver in receivers]
            used_s = cpu_s(pid) - before_s
            result = check(testbed.telemetry(), testbed.links[1].tolerance)
            sender.terminate()
    jain = sum(rates_bps) ** 2 / len(rates_bps) / sum(rate**2 for rate in rates_bps)
    return sum(rates_bps), used_s / (WARM_S + seconds), result.lateness_p99_s, jain


def main(seconds: float = 5.0, rounds: int = 5) -> None:
    """Print the table."""
    found: dict[str, list[tuple[float, float, float, float]]] = {case.name: [] for case in CASES}
    for _ in range(rounds):
        for case in CASES:
            found[case.name].append(transfer(case, seconds))
    print(f"{'what':48}{'goodput':>16}{'emulator CPU':>14}{'CPU a Gbit':>12}{'late p99':>10}{'Jain':>7}")
    for name, values in found.items():
        goodput, cpu, late, jain = (statistics.median(column) for column in zip(*values, strict=True))
        cost = statistics.median(value[1] / value[0] * 1e9 for value in values)
        print(f"{name:48}{goodput / 1e6:9.1f} Mbit/s{cpu:14.0%}{cost:10.3f} s{late * 1e3:7.2f} ms{jain:7.3f}")


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((float, int), sys.argv[1:], strict=False)))
