"""Queue disciplines and slots, as programs see them."""

import subprocess
import sys
import time

import numpy as np
import pytest

from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from tests.link import measures
from tests.testbeds import replaying

pytestmark = pytest.mark.link


def queue_bytes(testbed):
    """Return the longest downlink queue so far."""
    return testbed.telemetry().query("direction == 'downlink'")["queue_max_bytes"].max()


def aqm_drops(testbed):
    return testbed.telemetry()["dropped_aqm_packets"].sum()


def wait_until(true, within_s=10.0):
    end_s = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < end_s
        time.sleep(0.02)


def download(ask, settings):
    """Give the goodput of TCP CUBIC [bit/s], the mean of the longest downlink queue in each bin [bytes], the totals."""
    with replaying(settings) as testbed:
        testbed.set_congestion_control("cubic")
        ask(testbed.server, "tcp_source", wait=False)
        goodput_bps = float(ask(testbed.client, "tcp_goodput", 1.0, 1.5))
        frame = testbed.telemetry()
    down = frame[frame["direction"] == "downlink"]
    assert check(frame).excess_bytes <= 3000
    return goodput_bps, down[down["time_s"] > 1.0]["queue_max_bytes"].mean(), down.sum(numeric_only=True)


@pytest.mark.parametrize("aqm", ["codel", "fq_codel", "pie"])
def test_an_aqm_keeps_the_queue_short_and_the_link_busy(pattern, ask, aqm):
    settings = LinkSettings(pattern([20e6]), delay_s=0.01, aqm=aqm)
    goodput_bps, queue_bytes, total = download(ask, settings)
    assert goodput_bps > 0.75 * 20e6
    assert queue_bytes < 0.06 * 20e6 / 8  # drop-tail would hold 0.6 s
    assert total["dropped_aqm_packets"] > 0 and total["dropped_queue_packets"] == 0


@pytest.mark.parametrize("aqm", ["codel", "fq_codel", "pie"])
def test_ecn_marks_and_drops_nothing(pattern, ask, aqm):
    goodput_bps, queue_bytes, total = download(ask, LinkSettings(pattern([20e6]), delay_s=0.01, aqm=aqm, ecn=True))
    assert goodput_bps > 0.75 * 20e6 and queue_bytes < 0.06 * 20e6 / 8
    assert total["marked_packets"] > 0
    assert total["dropped_queue_packets"] == 0
    if aqm != "pie":  # PIE drops while its probability is above 0.1
        assert total["dropped_aqm_packets"] == 0


def test_a_small_flow_does_not_wait_behind_a_large_one_with_fq_codel(pattern, ask):
    rtts_s = {}
    for aqm in ("drop-tail", "fq_codel"):
        # 8 Mbit/s, where a packet takes 1.5 ms and CUBIC fills the drop-tail queue with a quarter of a second.
        settings = LinkSettings(pattern([8e6]), delay_s=0.01, queue_bytes=250_000, aqm=aqm)
        with replaying(settings) as testbed:
            testbed.set_congestion_control("cubic")
            ask(testbed.server, "udp_echo", wait=False)
            ask(testbed.server, "tcp_source", wait=False)
            argv = [sys.executable, str(measures.PEERS), "tcp_goodput", "0.1", "4"]
            bulk = testbed.client.popen(argv, stdout=subprocess.PIPE)
            wait_until(lambda testbed=testbed: queue_bytes(testbed) > 100_000 or aqm_drops(testbed) > 0)
            lines = ask(testbed.client, "udp_rtt", 8, 0.01).split()  # 2.4 s at most
            assert float(bulk.communicate(timeout=20)[0]) > 0.8 * 8e6
        rtts_s[aqm] = float(np.median([float(line) for line in lines]))
    assert rtts_s["drop-tail"] > 0.1
    # Delays, at most two packets of the other flow, and a busy machine.
    assert 0.02 <= rtts_s["fq_codel"] < 0.02 + 2 * 0.0015 + 0.005


def test_drop_head_drops_what_waited_longest(pattern, ask):
    settings = LinkSettings(pattern([1e6]), delay_s=0.001, queue_packets=10, aqm="drop-head")
    with replaying(settings) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        lines = ask(testbed.client, "udp_stream", 50, 0, 972).splitlines()
        frame = testbed.telemetry()
    numbers = [int(line.split()[0]) for line in lines]
    assert numbers[0] == 0 and numbers[-9:] == list(range(41, 50))
    assert frame["dropped_queue_packets"].sum() == 50 - len(numbers)


def test_packets_come_in_bursts_of_a_slot(pattern, ask):
    # 20 ms at 10 Mbit/s are 25 packets of 1000 bytes.
    with replaying(LinkSettings(pattern([10e6]), delay_s=0.001, slot_s=0.02)) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        lines = ask(testbed.client, "udp_stream", 150, 0, 972).splitlines()
        assert check(testbed.telemetry()).excess_bytes <= 3000
    arrivals_s = np.array([float(sent_s) + float(rtt_s) for _, sent_s, rtt_s in map(str.split, lines)])
    assert len(arrivals_s) == 150
    gaps_s = np.diff(arrivals_s)
    bursts = np.flatnonzero(gaps_s > 0.008) + 1
    assert 5 <= len(bursts) <= 8  # of both directions' slots, which have one clock
    assert np.median(np.diff(bursts)) == 25


BURST = """
import os, socket, sys
end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(100):
    end.sendto(bytes(1000), (os.environ[sys.argv[1]], 9))
"""


@pytest.mark.parametrize("own", [{"uplink_queue_bytes": 5140}, {"uplink_queue_packets": 5}, {"uplink_queue_s": 0.0412}])
def test_the_uplink_has_a_queue_of_its_own(pattern, own):
    with replaying(LinkSettings(pattern([1e6]), delay_s=0.0, queue_bytes=20_560, **own)) as testbed:
        for place, other in ((testbed.client, "MMWEMU_SERVER"), (testbed.server, "MMWEMU_CLIENT")):
            assert place.popen([sys.executable, "-c", BURST, other]).wait() == 0
        frame = testbed.telemetry()
    longest = frame.groupby("direction")["queue_max_bytes"].max()
    # Beside the packets there are some that say that nobody listens.
    assert 4 * 1028 < longest["uplink"] <= 5140
    assert 19 * 1028 < longest["downlink"] <= 20_560
    assert frame.groupby("direction")["dropped_queue_packets"].sum()["uplink"] >= 92


def test_the_uplink_has_an_aqm_of_its_own(pattern):
    with replaying(LinkSettings(pattern([1e6]), delay_s=0.0, queue_bytes=20_560, uplink_aqm="drop-head")) as testbed:
        assert testbed.client.popen([sys.executable, "-c", BURST, "MMWEMU_SERVER"]).wait() == 0
        wait_until(lambda: testbed.telemetry().query("direction == 'uplink'")["queue_bytes"].iloc[-1] == 0)
        frame = testbed.telemetry().query("direction == 'uplink'")
    # The oldest packets are dropped, also those behind the one in service.
    assert frame["dropped_queue_packets"].sum() >= 77
