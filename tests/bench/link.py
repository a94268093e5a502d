"""Measure the link: goodput, rate error, lateness and what the engine costs; backend tc beside it. Prints tables.

Run it as ``python tests/bench/link.py [SECONDS]``; each figure takes that long (default 5 s).
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mmwemu.emulate.backend import open_testbed
from mmwemu.emulate.check import check
from mmwemu.emulate.link import Backend, LinkSettings
from mmwemu.emulate.namespaces import NamespaceTestbed
from mmwemu.pattern.model import Direction, Floats, Pattern

# Sends what a file in memory holds, again and again, without copying it in this process.
SENDER = """
import os, socket
fd = os.memfd_create("load")
os.truncate(fd, 1 << 22)
listener = socket.create_server((os.environ["MMWEMU_SERVER"], 5001))
print("ready", flush=True)
connection, _ = listener.accept()
try:
    while True:
        os.sendfile(connection.fileno(), fd, 0, 1 << 22)
except OSError:
    pass
"""

# Counts what comes between two instants.
RECEIVER = """
import os, socket, sys, time
warm_s, measured_s = float(sys.argv[1]), float(sys.argv[2])
connection = socket.create_connection((os.environ["MMWEMU_SERVER"], 5001))
buffer = bytearray(1 << 20)
end = time.monotonic() + warm_s
while time.monotonic() < end:
    connection.recv_into(buffer)
begin, count = time.monotonic(), 0
while time.monotonic() < begin + measured_s:
    count += connection.recv_into(buffer)
print(count * 8 / (time.monotonic() - begin))
"""


@dataclass(frozen=True)
class Figure:
    """What one transfer gave."""

    goodput_bps: float
    engine_cpu: float  # of one core
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


def transfer(testbed: NamespaceTestbed, settings: LinkSettings, algorithm: str, seconds: float) -> Figure:
    """Send with TCP from server to client for some seconds."""
    testbed.set_congestion_control(algorithm)
    testbed.start(settings)
    sender = testbed.popen("server", [sys.executable, "-c", SENDER], stdout=subprocess.PIPE)
    assert sender.stdout is not None
    sender.stdout.readline()
    warm_s = min(2.0, seconds)
    before_s = cpu_s(testbed.engine_pid)
    receiver = testbed.popen(
        "client", [sys.executable, "-c", RECEIVER, str(warm_s), str(seconds)], stdout=subprocess.PIPE
    )
    text, _ = receiver.communicate(timeout=4 * seconds + 20)
    used_s = cpu_s(testbed.engine_pid) - before_s
    telemetry = testbed.telemetry()
    sender.send_signal(signal.SIGTERM)
    sender.wait()
    sender.stdout.close()
    result = check(telemetry, testbed.tolerance)
    return Figure(
        goodput_bps=float(text),
        engine_cpu=used_s / (warm_s + seconds),
        lateness_p99_s=result.lateness_p99_s,
        lateness_max_s=result.lateness_max_s,
        delivered_ratio=result.delivered_ratio,
        valid=result.valid,
    )


def main(seconds: float, write: Callable[[str], object] = print) -> None:
    """Measure and print."""
    write(f"{'what':28}{'goodput':>16}{'engine CPU':>12}{'late p99':>10}{'late max':>10}{'of capacity':>13}  valid")
    random = np.random.default_rng(1)
    rows = [
        (f"{rate / 1e6:g} Mbit/s, cubic", constant(rate), "cubic", 0.011) for rate in (1e6, 10e6, 100e6, 500e6, 1e9)
    ]
    rows += [
        ("1000 Mbit/s, bbr", constant(1e9), "bbr", 0.011),
        ("0-400 Mbit/s, 1 ms steps", steps(random.uniform(0, 400e6, 40_000), 0.001), "cubic", 0.011),
        ("unshaped, cubic", constant(math.inf), "cubic", 0.0),
    ]
    for name, pattern, algorithm, delay_s in rows:
        settings = LinkSettings(pattern, delay_s=delay_s)
        with open_testbed(settings) as testbed:
            figure = transfer(testbed, settings, algorithm, seconds)
        write(
            f"{name:28}{figure.goodput_bps / 1e6:9.1f} Mbit/s{figure.engine_cpu:12.1%}"
            f"{figure.lateness_p99_s * 1e3:7.2f} ms{figure.lateness_max_s * 1e3:7.2f} ms"
            f"{figure.delivered_ratio:13.4f}  {figure.valid}"
        )

    compare(seconds, write)


def compare(seconds: float, write: Callable[[str], object]) -> None:
    """Measure both backends on the same links, without a delay, which tc has with netem only, and print ratios."""
    write(f"\n{'no delay':28}{'tun':>16}{'tc':>16}{'tc / tun':>10}{'of capacity':>16}  valid")
    changing = steps(np.array([100e6, 50e6]), 0.01)
    rows = [(f"{rate / 1e6:g} Mbit/s", constant(rate)) for rate in (10e6, 100e6, 500e6, 1e9, math.inf)]
    for name, pattern in [*rows, ("100, 50 Mbit/s, 10 ms steps", changing)]:
        settings = LinkSettings(pattern, delay_s=0.0)
        tun, tc = measure("tun", settings, seconds), measure("tc", settings, seconds)
        write(
            f"{name:28}{tun.goodput_bps / 1e6:9.1f} Mbit/s{tc.goodput_bps / 1e6:9.1f} Mbit/s"
            f"{tc.goodput_bps / tun.goodput_bps:10.3f}{tun.delivered_ratio:8.4f}{tc.delivered_ratio:8.4f}"
            f"  {tun.valid}, {tc.valid}"
        )


def measure(backend: Backend, settings: LinkSettings, seconds: float) -> Figure:
    """Measure CUBIC over one backend."""
    with open_testbed(settings, None, backend) as testbed:
        return transfer(testbed, settings, "cubic", seconds)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)
