"""What a link is measured by, for tests and for figures: programs that know nothing of it, and its log of packets."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mmwemu.link.check import check
from mmwemu.link.packet_table import to_table
from mmwemu.link.packets import PacketLog
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.model import Floats
from mmwemu.testbed.place import Place
from mmwemu.testbed.testbed import Testbed, open_testbed
from tests.patterns import make_pattern
from tests.testbeds import replaying

PEERS = Path(__file__).with_name("peers.py")
TCP_SHARE = 1448 / 1500  # of a full packet that is payload


def ask(place: Place, *words: Any, wait: bool = True, timeout_s: float = 60.0) -> Any:
    """Run a program of peers.py at a place; return its output, or the process itself with ``wait=False``."""
    argv = [sys.executable, str(PEERS), *map(str, words)]
    process = place.popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if wait:
        text, _ = process.communicate(timeout=timeout_s)
        assert process.returncode == 0
        return text
    assert process.stdout.readline() == "ready\n"
    return process


def echoed(testbed: Testbed, count: int, pause_s: float, size_bytes: int) -> list[tuple[int, float, float]]:
    """Send numbered packets to a server that echoes them; number, time of sending and round trip of each [s]."""
    ask(testbed.server, "udp_echo", wait=False)
    lines = ask(testbed.client, "udp_stream", count, pause_s, size_bytes).splitlines()
    return [(int(number), float(sent_s), float(rtt_s)) for number, sent_s, rtt_s in map(str.split, lines)]


def come_after_outage_s(testbed: Testbed) -> list[float]:
    """Send for a second, with an outage from 0.4 to 0.8 s that holds: when come what was sent in it [n_packet], s."""
    rows = echoed(testbed, 100, 0.01, 100)
    assert [row[0] for row in rows] == list(range(100))
    came_s = [sent_s + rtt_s for _, sent_s, rtt_s in rows if 0.41 < sent_s < 0.78]
    assert len(came_s) > 30
    return came_s


@contextmanager
def logged(settings: LinkSettings, folder: Path) -> Iterator[tuple[Testbed, Callable[[str], pd.DataFrame]]]:
    """Give a testbed, and a function that gives the packets of one direction so far."""
    with PacketLog(folder, headers=False) as log, open_testbed() as testbed:
        testbed.start(settings, packets={1: log})

        def packets(direction: str) -> pd.DataFrame:
            testbed.links[1].finish_packets()
            frame = to_table(log.records(), settings.delay_s).to_pandas()
            return frame[frame["direction"] == direction].sort_values("number", ignore_index=True)

        yield testbed, packets


def rate_errors(rate_bps: float) -> tuple[float, float]:
    """Give by what share TCP's goodput, and what was delivered while packets waited, are off a constant rate."""
    with replaying(LinkSettings(make_pattern([rate_bps]), delay_s=0.002)) as testbed:
        testbed.set_congestion_control("cubic")
        ask(testbed.server, "tcp_source", wait=False)
        goodput_bps = float(ask(testbed.client, "tcp_goodput", 1, 3))
        result = check(testbed.telemetry())
    return goodput_bps / (rate_bps * TCP_SHARE) - 1, result.delivered_ratio - 1


def excess_bytes(folder: Path, slot_s: float) -> float:
    """Give the most that left in any stretch of time beyond the integral, with random steps each 10 ms."""
    steps = make_pattern(np.random.default_rng(3).uniform(0, 100e6, 100), step_s=0.01)
    settings = LinkSettings(steps, delay_s=0.002, slot_s=slot_s)
    with logged(settings, folder) as (testbed, packets):
        ask(testbed.server, "tcp_source", wait=False)
        ask(testbed.client, "tcp_goodput", 0.5, 2)
        down = packets("downlink")
    down = down[down["kind"].eq("packet") & down["departure_s"].notna()]
    assert down["size_bytes"].sum() > 4e6
    out = down[down["delivery_s"].notna()]
    assert (out["delivery_s"] >= out["departure_s"]).all()
    if slot_s:
        into_s = (out["departure_s"] + out["propagation_delay_s"] - settings.delay_s) % slot_s
        assert np.minimum(into_s, slot_s - into_s).max() < 1e-8
    edges_s: Floats = np.concatenate(([0.0], down["departure_s"].to_numpy()))
    allowed = np.cumsum(capacity_bytes(steps, steps.downlink, edges_s))
    above = np.cumsum(down["size_bytes"].to_numpy(float)) - allowed
    # In any stretch: above its lowest value so far, which the queue had before its first packet.
    lowest = np.minimum.accumulate(np.concatenate(([0.0], above[:-1])))
    return float((above - lowest).max())


def drain_s(folder: Path) -> tuple[float, float]:
    """Give how much waits when 1 Mbit/s become 100 [bytes], and when the last of it comes after that [s]."""
    steps = make_pattern([1e6, 100e6], step_s=0.5, end="hold")
    with logged(LinkSettings(steps, delay_s=0.0), folder) as (testbed, packets):
        ask(testbed.server, "udp_echo", wait=False)
        ask(testbed.client, "udp_stream", 122, 0, 1472)  # 120 kB are left after 0.5 s
        up = packets("uplink")
    left = up[up["delivery_s"] > 0.5]
    return float(left["size_bytes"].sum()), float(left["delivery_s"].max()) - 0.5


def first_after_outage_s(folder: Path, outage_s: float, kind: str) -> tuple[float, bool]:
    """Give when the first packet comes after the end of an outage [s], and whether any was lost in it."""
    begin_s = 0.2
    end_s = begin_s + outage_s
    steps = make_pattern([10e6, 0, 10e6], times_s=[0, begin_s, end_s, end_s + 1], outage=kind, end="hold")
    with logged(LinkSettings(steps, delay_s=0.0), folder) as (testbed, packets):
        ask(testbed.server, "udp_echo", wait=False)
        ask(testbed.client, "udp_stream", round((end_s + 0.1) / 0.002), 0.002, 100)
        up = packets("uplink")
    first_s = float(up[up["delivery_s"] > begin_s + 0.001]["delivery_s"].min())
    return first_s - end_s, bool((up["drop"] == "outage").any())


def delay_errors_s(folder: Path) -> Floats:
    """Give by how much each packet of TCP at 100 Mbit/s came later than the model says [n_packet], s."""
    settings = LinkSettings(make_pattern([100e6], delay_s=0.004))
    with logged(settings, folder) as (testbed, packets):
        testbed.set_congestion_control("cubic")
        ask(testbed.server, "tcp_source", wait=False)
        ask(testbed.client, "tcp_goodput", 0.5, 2)
        down, frame = packets("downlink"), testbed.telemetry()
    down = down[down["delivery_s"].notna()]
    # Exactly 15 ms in the model, 11 of them before the bottleneck.
    assert np.abs(down["propagation_delay_s"] - 0.015).max() < 1e-9
    # The bins have the worst of it too.
    assert abs(down["lateness_s"].max() - frame[frame["direction"] == "downlink"]["lateness_s"].max()) < 1e-9
    return (down["delivery_s"] - down["departure_s"] - 0.004).to_numpy()


def phases_s(repetitions: int) -> Floats:
    """Give how long after the sending of the first packet, by its sender's clock, the pattern starts [n], s."""
    settings = LinkSettings(make_pattern([10e6]), start="first-packet")
    phases_ns = []
    with replaying(settings) as testbed:
        for _ in range(repetitions):
            testbed.start(settings)
            sent_ns = int(ask(testbed.client, "udp_once"))
            testbed.telemetry()
            epoch_ns = testbed.links[1].epoch_ns()
            assert epoch_ns is not None
            phases_ns.append(epoch_ns - sent_ns)
    return np.array(phases_ns) / 1e9
