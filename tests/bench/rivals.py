"""Compare the link with other emulators: the backend tc, and rattan and Mahimahi where installed. Prints ratios.

Run it as ``python tests/bench/rivals.py [SECONDS]``. In turns, each gets the same transfers by TCP CUBIC, and each
figure is the median of three. What is not installed is skipped by name. rattan needs root and runs in a network
namespace of its own; mm-link wants an ordinary user and net.ipv4.ip_forward = 1.
"""

from __future__ import annotations

import math
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable

from link import RECEIVER, SENDER, constant, transfer

from mmwemu.core.errors import MissingError
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.setup import Backend, Setup
from mmwemu.testbed.testbed import open_testbed

REPETITIONS = 3
CASES = [
    ("100 Mbit/s, 2 x 11 ms", 100e6, 11),
    ("1 Gbit/s, 2 x 11 ms", 1e9, 11),
    ("1 Gbit/s, no delay", 1e9, 0),
    ("unshaped", math.inf, 0),
]
QUEUE_BYTES = 1_500_000

# Starts the sender out here and another program with the receiver in it: OUTER SENDER RECEIVER BASE ARGV...
OUTER = """
import os, subprocess, sys
sender, receiver, base, seconds, *argv = sys.argv[1:]
everywhere = os.environ | {"MMWEMU_SERVER": "0.0.0.0"}
source = subprocess.Popen([sys.executable, "-c", sender], env=everywhere, stdout=subprocess.PIPE)
try:
    source.stdout.readline()
    inside = ["sh", "-c", 'MMWEMU_SERVER=$%s exec "$@"' % base, "sh", sys.executable, "-c", receiver, "1", seconds, "1"]
    sys.exit(subprocess.run([*argv, *inside]).returncode)
finally:
    source.kill()
    source.wait()
"""
# The settings of the emulator in its own namespaces.
SAME_TCP = (
    "ip link set lo up; echo cubic > /proc/sys/net/ipv4/tcp_congestion_control;"
    " echo '4096 131072 67108864' > /proc/sys/net/ipv4/tcp_rmem;"
    " echo '4096 65536 67108864' > /proc/sys/net/ipv4/tcp_wmem;"
    ' mkdir -p /run/netns; exec "$@"'
)


def ours(backend: Backend) -> Callable[[float, float, float], float]:
    """Give how one of our backends is measured."""

    def goodput_bps(rate_bps: float, delay_ms: float, seconds: float) -> float:
        settings = LinkSettings(constant(rate_bps), delay_s=delay_ms / 1e3, queue_bytes=QUEUE_BYTES)
        with open_testbed(Setup(backend=backend)) as testbed:
            return transfer(testbed, settings, "cubic", seconds).goodput_bps

    return goodput_bps


def outer(before: list[str], base: str, argv: list[str], seconds: float) -> float:
    """Give the goodput from a sender out here to a receiver in the network of ``argv``, run by ``before``."""
    words = [*before, sys.executable, "-c", OUTER, SENDER, RECEIVER, base, str(seconds), *argv]
    done = subprocess.run(words, capture_output=True, text=True, timeout=seconds + 30)
    if done.returncode != 0:
        raise MissingError(f"{argv[0]} failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}", "see its manual")
    return float(done.stdout.strip().splitlines()[-1])


def rattan_bps(rate_bps: float, delay_ms: float, seconds: float) -> float:
    """Measure rattan."""
    argv = ["rattan", "link"]
    for direction in ("uplink", "downlink"):
        if delay_ms:
            argv += [f"--{direction}-delay", f"{delay_ms:g}ms"]
        if math.isfinite(rate_bps):
            argv += [f"--{direction}-bandwidth", f"{rate_bps / 1e6:g}Mbps", f"--{direction}-queue", "droptail"]
            argv += [f"--{direction}-queue-args", f'{{"byte_limit":{QUEUE_BYTES}}}']
    own_network = ["unshare", "--net", "--mount", "sh", "-c", SAME_TCP, "sh"]
    return outer(own_network, "RATTAN_BASE", [*argv, "--"], seconds)


def mahimahi_bps(rate_bps: float, delay_ms: float, seconds: float) -> float:
    """Measure mm-delay and mm-link; a line of its trace is 1504 bytes in a millisecond."""
    argv = ["mm-delay", f"{delay_ms:g}"]
    with tempfile.NamedTemporaryFile("w", suffix=".trace") as trace:
        if math.isfinite(rate_bps):
            per_second = round(rate_bps / 8 / 1504)
            trace.write("".join(f"{(i + 1) * 1000 // per_second}\n" for i in range(per_second)))
            trace.flush()
            argv += ["mm-link", trace.name, trace.name]
            for direction in ("uplink", "downlink"):
                argv += [f"--{direction}-queue=droptail", f"--{direction}-queue-args=bytes={QUEUE_BYTES}"]
            argv += ["--"]
        return outer([], "MAHIMAHI_BASE", argv, seconds)


def rivals() -> dict[str, Callable[[float, float, float], float]]:
    """Give what can be measured here."""
    found = {"tun": ours("tun"), "tc": ours("tc")}
    for name, program, measure in (("rattan", "rattan", rattan_bps), ("mahimahi", "mm-link", mahimahi_bps)):
        if shutil.which(program):
            found[name] = measure
        else:
            print(f"{name}: skipped, {program} is not installed")
    return found


def main(seconds: float) -> None:
    """Measure and print."""
    found = rivals()
    for name, rate_bps, delay_ms in CASES:
        figures: dict[str, list[float]] = {rival: [] for rival in found}
        for rival in [rival for _ in range(REPETITIONS) for rival in found]:
            if rival not in figures:
                continue
            try:
                figures[rival].append(found[rival](rate_bps, delay_ms, seconds))
            except MissingError as error:
                del figures[rival]
                print(f"{name}: {rival} skipped: {error}", file=sys.stderr)
        medians = {rival: statistics.median(values) for rival, values in figures.items()}
        words = [f"{rival} {bps / 1e6:.0f} ({medians['tun'] / bps:.2f})" for rival, bps in medians.items()]
        print(f"{name:24} Mbit/s (tun is so many times it): {', '.join(words)}", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 3.0)
