"""Print tables of the link: goodput, lateness, CPU time of the emulator, backend tc beside it, and how exact it is.

Run it as ``python tests/bench/link.py [SECONDS]``; each transfer takes that long (default 5 s).
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.model import Direction, Floats, Pattern
from mmwemu.testbed.setup import Backend, Setup
from mmwemu.testbed.testbed import Testbed, open_testbed

# Sends to each who connects what a file in memory holds, again and again, without copying it in this process.
SENDER = """
import os, socket, threading
fd = os.memfd_create("load")
os.truncate(fd, 1 << 22)
def send(connection):
    try:
        while True:
            os.sendfile(connection.fileno(), fd, 0, 1 << 22)
    except OSError:
        pass
listener = socket.create_server((os.environ["MMWEMU_SERVER"], 5001), backlog=1000)
print("ready", flush=True)
while True:
    threading.Thread(target=send, args=(listener.accept()[0],), daemon=True).start()
"""

# Counts what comes by all connections between two instants.
RECEIVER = """
import os, selectors, socket, sys, time
warm_s, measured_s, connections = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
selector = selectors.DefaultSelector()
for _ in range(connections):
    connection = socket.create_connection((os.environ["MMWEMU_SERVER"], 5001))
    selector.register(connection, selectors.EVENT_READ)
buffer = bytearray(1 << 20)
def receive(end):
    count = 0
    while time.monotonic() < end:
        for key, _ in selector.select():
            count += key.fileobj.recv_into(buffer)
    return count
begin = time.monotonic() + warm_s
receive(begin)
count = receive(begin + measured_s)
print(count * 8 / (time.monotonic() - begin))
"""


@dataclass(frozen=True)
class Figure:
    """What one transfer gave."""

    goodput_bps: float
    emulator_cpu: float  # of one core
    lateness_p99_s: float
    lateness_max_s: float
    delivered_ratio: float
    valid: bool


def steps(rates_bps: Floats, step_s: float) -> Pattern:
    """Give a pattern of steps of the same length, without delay or loss of its own."""
    n = len(rates_bps)
    direction = Direction(rates_bps, np.zeros(n), np.zeros(n))
    time_s: Floats = np.arange(n, dtype=np.float64) * step_s
    return Pattern(time_s, n * step_s, direction, direction)


def constant(rate_bps: float) -> Pattern:
    """Give a pattern that does not change."""
    return steps(np.array([rate_bps]), 1.0)


def cpu_s(pid: int) -> float:
    """Give the processor time a process has taken, s."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def transfer(testbed: Testbed, settings: LinkSettings, algorithm: str, seconds: float, connections: int = 1) -> Figure:
    """Send with TCP from server to client for some seconds."""
    testbed.set_congestion_control(algorithm)
    testbed.start(settings)
    sender = testbed.server.popen([sys.executable, "-c", SENDER], stdout=subprocess.PIPE)
    assert sender.stdout is not None
    sender.stdout.readline()
    warm_s = min(2.0, seconds)
    before_s = cpu_s(testbed.sandboxes[0].pid)
    argv = [sys.executable, "-c", RECEIVER, str(warm_s), str(seconds), str(connections)]
    receiver = testbed.client.popen(argv, stdout=subprocess.PIPE)
    text, _ = receiver.communicate(timeout=4 * seconds + 20)
    used_s = cpu_s(testbed.sandboxes[0].pid) - before_s
    telemetry = testbed.telemetry()
    sender.send_signal(signal.SIGTERM)
    sender.wait()
    sender.stdout.close()
    result = check(telemetry, testbed.links[1].tolerance)
    return Figure(
        goodput_bps=float(text),
        emulator_cpu=used_s / (warm_s + seconds),
        lateness_p99_s=result.lateness_p99_s,
        lateness_max_s=result.lateness_max_s,
        delivered_ratio=result.delivered_ratio,
        valid=result.valid,
    )


@dataclass(frozen=True)
class Case:
    """What is measured."""

    name: str
    pattern: Pattern
    algorithm: str = "cubic"
    delay_s: float = 0.011
    queue_bytes: int = 1_500_000
    connections: int = 1


CASES = [
    *(Case(f"{rate / 1e6:g} Mbit/s, cubic", constant(rate)) for rate in (1e6, 10e6, 100e6, 500e6, 1e9)),
    Case("1000 Mbit/s, bbr", constant(1e9), "bbr"),
    Case("1000 Mbit/s, 100 cubic", constant(1e9), connections=100),
    Case("3000 Mbit/s, cubic", constant(3e9), queue_bytes=6_000_000),
    Case("0-400 Mbit/s, 1 ms steps", steps(np.random.default_rng(1).uniform(0, 400e6, 40_000), 0.001)),
    Case("unshaped, cubic", constant(math.inf), delay_s=0.0),
]


def print_transfers(seconds: float) -> None:
    """Print what TCP gets and what it costs."""
    print(f"{'what':28}{'goodput':>16}{'emulator CPU':>14}{'late p99':>10}{'late max':>10}{'of capacity':>13}  valid")
    for case in CASES:
        settings = LinkSettings(case.pattern, delay_s=case.delay_s, queue_bytes=case.queue_bytes)
        with open_testbed() as testbed:
            figure = transfer(testbed, settings, case.algorithm, seconds, case.connections)
        print(
            f"{case.name:28}{figure.goodput_bps / 1e6:9.1f} Mbit/s{figure.emulator_cpu:14.1%}"
            f"{figure.lateness_p99_s * 1e3:7.2f} ms{figure.lateness_max_s * 1e3:7.2f} ms"
            f"{figure.delivered_ratio:13.4f}  {figure.valid}",
            flush=True,
        )


def print_backends(seconds: float) -> None:
    """Measure both backends on the same links, without a delay, which tc has with netem only, and print ratios."""
    print(f"{'no delay':28}{'tun':>16}{'tc':>16}{'tc / tun':>10}{'of capacity':>16}  valid")
    changing = steps(np.array([100e6, 50e6]), 0.01)
    rows = [(f"{rate / 1e6:g} Mbit/s", constant(rate)) for rate in (10e6, 100e6, 500e6, 1e9, math.inf)]
    for name, pattern in [*rows, ("100, 50 Mbit/s, 10 ms steps", changing)]:
        settings = LinkSettings(pattern, delay_s=0.0)
        tun, tc = measure("tun", settings, seconds), measure("tc", settings, seconds)
        print(
            f"{name:28}{tun.goodput_bps / 1e6:9.1f} Mbit/s{tc.goodput_bps / 1e6:9.1f} Mbit/s"
            f"{tc.goodput_bps / tun.goodput_bps:10.3f}{tun.delivered_ratio:8.4f}{tc.delivered_ratio:8.4f}"
            f"  {tun.valid}, {tc.valid}",
            flush=True,
        )


def measure(backend: Backend, settings: LinkSettings, seconds: float) -> Figure:
    """Measure CUBIC over one backend."""
    with open_testbed(Setup(backend=backend)) as testbed:
        return transfer(testbed, settings, "cubic", seconds)


def print_exactness() -> None:
    """Print how exact the link is, as tests/link/test_exactness.py has it."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.link import measures

    def line(name: str, value: str, aim: str) -> None:
        print(f"{name:60}{value:>18}   {aim}", flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        line("exactness", "", "aim")
        for rate_bps in (1e6, 10e6, 100e6, 500e6, 1e9):
            error = measures.rate_errors(rate_bps)[0]
            line(f"long-run rate at {rate_bps / 1e6:g} Mbit/s", f"{error:+.2%}", "1 %")
        for slot_s in (0.0, 0.001):
            excess_bytes = measures.excess_bytes(folder, slot_s)
            line(
                f"beyond the integral, steps of 10 ms, slots of {slot_s * 1e3:g} ms", f"{excess_bytes:.0f} B", "1500 B"
            )
        size_bytes, after_s = measures.drain_s(folder)
        line(f"{size_bytes / 1e3:.0f} kB drained after 1 -> 100 Mbit/s", f"{after_s * 1e3:.2f} ms", "25 ms")
        for outage_s in (0.01, 0.1, 1.0, 10.0):
            after_s = measures.first_after_outage_s(folder, outage_s, "hold")[0]
            line(f"first packet after an outage of {outage_s:g} s", f"{after_s * 1e3:.2f} ms", "5 ms")
        errors_s = np.quantile(measures.delay_errors_s(folder), [0.5, 0.99]) * 1e3
        line("delay at 100 Mbit/s: median, p99", f"{errors_s[0]:.2f}, {errors_s[1]:.2f} ms", "0.2, 1 ms")
        phases_ms = measures.phases_s(30) * 1e3
        line("phase of 30 starts: median, max", f"{np.median(phases_ms):.2f}, {phases_ms.max():.2f} ms", "1 ms")


if __name__ == "__main__":
    each_s = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    print_transfers(each_s)
    print()
    print_backends(each_s)
    print()
    print_exactness()
