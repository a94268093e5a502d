"""Print what milliProxy costs the emulator: TCP with an edge, without the proxy and with it in turns.

Run it as ``python tests/bench/milliproxy.py [ROUNDS] [SECONDS]``; default 5 rounds of 4 s each.
"""

from __future__ import annotations

import statistics
import sys

from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.testbed import open_testbed
from mmwemu.testbed.topology import CoreLink, Topology
from tests.bench.link import Figure, constant, transfer

RATE_BPS = 1e9
PROXIES = (None, "milliproxy")


def main(rounds: int, seconds: float) -> None:
    """Measure and print medians, and the median of the difference within a round."""
    found: dict[tuple[int, str | None], list[Figure]] = {}
    for _ in range(rounds):
        for connections in (1, 100):
            for proxy in PROXIES:
                with open_testbed(Setup(Topology(core=CoreLink()), edge_proxy=proxy)) as testbed:
                    settings = LinkSettings(constant(RATE_BPS), queue_bytes=6_000_000)
                    figure = transfer(testbed, settings, "cubic", seconds, connections)
                found.setdefault((connections, proxy), []).append(figure)
    print("| 1 Gbit/s, CUBIC, connections | proxy | goodput, Mbit/s | share of a core | valid |\n|---|---|---|---|---|")
    for (connections, proxy), figures in found.items():
        goodput = statistics.median(one.goodput_bps for one in figures) / 1e6
        cpu = statistics.median(one.emulator_cpu for one in figures)
        valid = sum(one.valid for one in figures)
        print(f"| {connections} | {proxy or 'none'} | {goodput:.0f} | {cpu:.1%} | {valid} of {len(figures)} |")
    for connections in (1, 100):
        plain, proxied = (found[connections, proxy] for proxy in PROXIES)
        more = [b.emulator_cpu - a.emulator_cpu for a, b in zip(plain, proxied, strict=True)]
        print(
            f"{connections} connections: {statistics.median(more):+.1%} of a core"
            f" ({min(more):+.1%} to {max(more):+.1%})"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5, float(sys.argv[2]) if len(sys.argv) > 2 else 4.0)
