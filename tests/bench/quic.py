"""Print what flows of TCP and QUIC carry over an emulated link, and the CPU time of server and client.

Run it as ``python tests/bench/quic.py [SECONDS]``; each flow takes that long (default 5 s).
"""

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

from mmwemu.apps.flow.client import flow
from mmwemu.apps.flow.quic import asked_of, receive
from mmwemu.apps.flow.settings import FlowSettings
from mmwemu.apps.shared.quic import ngtcp2
from mmwemu.apps.shared.quic.transfers import Ready, fetching, serving
from mmwemu.apps.shared.webserver.certificate import make_certificates
from mmwemu.core.temporary import temporary_folder
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.testbed.testbed import open_testbed

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
RATES_BPS = (100e6, 500e6)
DELAY_S = 0.005


class CpuTime(threading.Thread):
    """Adds up the CPU time of a testbed's programs, 20 times a second; ``used_s`` in all."""

    def __init__(self, testbed):
        super().__init__(daemon=True)
        self.over = threading.Event()
        self._testbed = testbed
        self._used_s = {}

    @property
    def used_s(self):
        """Give the sum over all programs."""
        return sum(self._used_s.values())

    def run(self):
        """Look until it is over."""
        while not self.over.wait(0.05):
            todo = list(self._testbed.applications())
            while todo:
                pid = todo.pop()
                with suppress(OSError):
                    words = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
                    self._used_s[pid] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
                    todo += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def over_tcp(testbed, case, name, ready):
    """Give a flow, its losses and why it was held up."""
    done = flow(testbed.client, testbed.server, case)
    return done, done.retransmissions, ""


def over_quic(testbed, case, name, ready):
    """Give a flow, its losses and why it was held up."""
    with serving(testbed.server, asked_of(case, name), ready, 1) as servers:
        with fetching(testbed.client, servers) as transfers:
            done = receive(transfers, case, 0.1)
    return done, done.lost_packets, transfers.held_up_because


def measured(run, case, rate_bps, name, ready):
    """Print the row of a flow."""
    with open_testbed() as testbed:
        testbed.set_congestion_control(name)
        testbed.start(LinkSettings(constant(rate_bps, 60.0), delay_s=DELAY_S))
        watch = CpuTime(testbed)
        watch.start()
        done, lost, because = run(testbed, case, name, ready)
        watch.over.set()
        used_s = watch.used_s
    per_gbit = used_s * 1e9 / (8 * done.received_bytes)
    print(f"{case.protocol:8}  {name:5}  {rate_bps / 1e6:11.0f}  {done.goodput_bps / 1e6:14.1f}  {per_gbit:10.2f}"
          f"  {used_s / done.duration_s:13.2f}  {lost:5}  {because}", flush=True)  # fmt: skip


print("protocol  cc     link Mbit/s  goodput Mbit/s  CPU s/Gbit  CPU of a core   lost")
with temporary_folder("bench") as folder:
    ready = Ready(ngtcp2.find(), make_certificates(folder, [ngtcp2.NAME]))
    for rate_bps in RATES_BPS:
        for name in ("cubic", "bbr"):
            measured(over_tcp, FlowSettings("tcp", duration_s=SECONDS), rate_bps, name, ready)
            measured(over_quic, FlowSettings("quic", duration_s=SECONDS), rate_bps, name, ready)
