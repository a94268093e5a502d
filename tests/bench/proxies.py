"""Print a table of proxies at the edge: goodput of a download, the share of a core, lateness of the access link.

Run it as ``python tests/bench/proxies.py [SECONDS]``; each transfer takes that long (default 5 s) after 2 s of warm-up.
"""

from __future__ import annotations

import subprocess
import sys
import time

from link import RECEIVER, SENDER, constant, cpu_s

from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.proxies.proxy import ProgramProxy
from mmwemu.testbed.proxies.registry import MAKERS
from mmwemu.testbed.sandbox import only_child
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.testbed import Testbed, open_testbed
from mmwemu.testbed.topology import CoreLink, Topology

RATES_BPS = (1e9, 2e9)
WARM_S = 2.0


def of_proxy_s(testbed: Testbed) -> float:
    """Give the processor time of a proxy that is a program, s; 0 for another, or none."""
    return cpu_s(only_child(testbed.proxy.process.pid)) if isinstance(testbed.proxy, ProgramProxy) else 0.0


def row(proxy: str | None, rate_bps: float, seconds: float) -> str:
    """Download over a link of a rate, with a core link of 5 ms, and give a row of the table."""
    with open_testbed(Setup(Topology(core=CoreLink()), edge_proxy=proxy)) as testbed:
        testbed.set_congestion_control("cubic")
        testbed.start(LinkSettings(constant(rate_bps), delay_s=0.005, queue_bytes=5_000_000, start="now"))
        sender = testbed.server.popen([sys.executable, "-c", SENDER], stdout=subprocess.PIPE)
        assert sender.stdout is not None
        sender.stdout.readline()
        before_s, begin_s = of_proxy_s(testbed), time.monotonic()
        words = [str(WARM_S), str(seconds), "1"]
        receiver = testbed.client.popen([sys.executable, "-c", RECEIVER, *words], stdout=subprocess.PIPE)
        text, _ = receiver.communicate(timeout=4 * seconds + 20)
        share = (of_proxy_s(testbed) - before_s) / (time.monotonic() - begin_s)
        telemetry = testbed.links[1].telemetry()
        late_ms = 1e3 * check(telemetry, testbed.links[1].tolerance).lateness_p99_s
    return f"| {proxy or 'none'} | {rate_bps / 1e6:.0f} | {float(text) / 1e6:.0f} | {share:.1%} | {late_ms:.2f} |"


def main(seconds: float = 5.0) -> None:
    """Print the table."""
    print("| proxy | link, Mbit/s | goodput, Mbit/s | of a core, the proxy | lateness p99, ms |\n|---|---|---|---|---|")
    for rate_bps in RATES_BPS:
        for proxy in (None, *MAKERS):
            print(row(proxy, rate_bps, seconds), flush=True)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
