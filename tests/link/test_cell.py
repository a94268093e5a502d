"""A cell with real packets: several clients, each with a pattern of its own, and a scheduler."""

import subprocess
import sys
import time
from dataclasses import replace

import pytest

from mmwemu.core import paths
from mmwemu.core.errors import MissingError
from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.algebra.rates import scale
from mmwemu.pattern.conversion.phy import Phy
from mmwemu.pattern.convert import Conversion, convert
from mmwemu.scenario.model import Box, Scenario, Ue, Waypoint
from mmwemu.simulate.ns3 import Ns3Engine
from mmwemu.testbed.topology import Topology
from tests.testbeds import replaying

pytestmark = pytest.mark.link

# Sends to each client at some rate.
FLOOD = """
import socket, sys, time
end_s, addresses = time.monotonic() + float(sys.argv[1]), sys.argv[3:]
gap_s, payload, source = 1472 * 8 / float(sys.argv[2]), bytes(1472), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
next_s = time.monotonic()
while next_s < end_s:
    for address in addresses:
        source.sendto(payload, (address, 7000))
    next_s += gap_s
    time.sleep(max(0, next_s - time.monotonic()))
"""
SINK = """
import socket, time
sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sink.bind(("", 7000))
print("ready", flush=True)
time.sleep(100)
"""


def sinks(testbed):
    """Start what takes the packets on all clients."""
    for client in testbed.clients:
        assert client.popen([sys.executable, "-c", SINK], stdout=subprocess.PIPE).stdout.readline() == b"ready\n"


def flood(testbed, rate_bps, seconds, clients=None):
    """Start to send to some clients, None for all of them."""
    addresses = [client.address for client in clients or testbed.clients]
    return testbed.server.popen([sys.executable, "-c", FLOOD, str(seconds), str(rate_bps), *addresses])


def got(testbed, from_s, to_s):
    """What each client got in the downlink in a span of time: delivered_bytes, airtime_s, granted_bytes."""
    frame = testbed.links[1].client_telemetry()
    inside = (frame["direction"] == "downlink") & (frame["time_s"] + 0.005).between(from_s, to_s)
    return frame[inside].groupby("client")[["delivered_bytes", "airtime_s", "granted_bytes"]].sum()


@pytest.mark.parametrize("scheduler", ["round-robin", "proportional-fair", "max-rate"])
def test_three_clients_have_the_shares_that_the_scheduler_gives(pattern, scheduler):
    first, *others = (pattern([rate_bps]) for rate_bps in (8e6, 24e6, 16e6))
    settings = LinkSettings(first, start="now", delay_s=0.005, scheduler=scheduler, slot_s=500e-6, others=tuple(others))
    with replaying(settings, topology=Topology(3)) as testbed:
        sinks(testbed)
        testbed.start(settings)
        flood(testbed, 30e6, 2.0).wait()
        found, result = got(testbed, 0.5, 1.9), check(testbed.telemetry(), testbed.links[1].tolerance)
    assert 0.98 < result.delivered_ratio < 1.02 and result.excess_bytes <= 5 * 1500
    assert found["airtime_s"].sum() == pytest.approx(1.4, abs=1e-3)
    shares = {"max-rate": [0, 1, 0]}.get(scheduler, [1 / 3] * 3)
    assert list(found["airtime_s"] / 1.4) == pytest.approx(shares, abs=0.01)
    expected = [share * rate_bps * 1.4 / 8 for share, rate_bps in zip(shares, (8e6, 24e6, 16e6), strict=True)]
    assert list(found["delivered_bytes"]) == pytest.approx(expected, rel=0.02, abs=3000)
    assert list(found["granted_bytes"]) == pytest.approx(expected, rel=0.02, abs=3000)


def test_a_client_that_leaves_leaves_its_share_to_the_others(pattern):
    settings = LinkSettings(pattern([24e6]), start="now", queue_bytes=150_000, scheduler="round-robin", delay_s=0.0)
    with replaying(settings, topology=Topology(3)) as testbed:
        sinks(testbed)
        all_of_them, two = flood(testbed, 20e6, 1.5), flood(testbed, 20e6, 3.0, testbed.clients[:2])
        all_of_them.wait()
        left_s = time.monotonic() - testbed.links[1].epoch_ns() / 1e9
        two.wait()
        before, after = got(testbed, left_s - 0.7, left_s - 0.1), got(testbed, left_s + 0.4, left_s + 1.0)
    assert list(before["airtime_s"]) == pytest.approx([0.2] * 3, rel=0.03)
    assert list(after["airtime_s"]) == pytest.approx([0.3, 0.3, 0], rel=0.03, abs=1e-6)


def test_a_shift_tells_clients_of_one_pattern_apart(pattern):
    on_and_off = pattern([20e6, 0, 0], step_s=0.2)
    settings = LinkSettings(on_and_off, start="now", scheduler="round-robin", client_shift_s=0.4, delay_s=0.0)
    with replaying(settings, topology=Topology(3)) as testbed:
        sinks(testbed)
        testbed.start(settings)
        flood(testbed, 20e6, 1.4).wait()
        turns = [got(testbed, 0.6 + i * 0.2, 0.8 + i * 0.2)["airtime_s"] for i in range(3)]
    for i, client in enumerate((1, 2, 3)):
        assert turns[i][client] == pytest.approx(0.2, abs=0.01)
        assert turns[i].sum() == pytest.approx(0.2, abs=0.01)


SECONDS = 2.0
PLACES = [(30.0, 0.0, 1.6), (70.0, 25.0, 1.6), (110.0, -30.0, 1.6), (150.0, 20.0, 1.6)]


def simulated(scheduler):
    """Return the traces of UEs that walk, one of them out of a shadow, and always have something to receive."""
    try:
        paths.program("mmwemu-cell")
    except MissingError as error:
        pytest.skip(str(error))
    scenario = Scenario(
        name="t",
        duration_s=SECONDS,
        base_station_m=(0.0, 0.0, 10.0),
        route=(Waypoint(0.0, PLACES[0]),),
        boxes=(Box((50.0, 56.0), (-20.0, -11.5), (0.0, 15.0)),),
    )
    radio = replace(scenario.mmwave, scheduler=scheduler, bandwidth_hz=100e6, power_dbm=0.0)
    walks = [(Waypoint(0.0, (x, y, z)), Waypoint(SECONDS, (x + 3, y + 12, z))) for x, y, z in PLACES]
    return Ns3Engine().simulate_ues(
        replace(scenario, mmwave=radio, route=(), ues=tuple(Ue(walk, 400e6, 0.0, 0.1) for walk in walks)), "mmwave", 1
    )


@pytest.mark.cell
@pytest.mark.parametrize("scheduler", ["round-robin", "proportional-fair"])
def test_shares_are_those_of_the_simulators_scheduler(scheduler):
    traces = simulated(scheduler)
    first, *others = (scale(convert(trace, Conversion(method=Phy(0.001))), 0.1) for trace in traces)
    settings = LinkSettings(first, start="now", delay_s=0.0, scheduler=scheduler, slot_s=125e-6, others=tuple(others))
    with replaying(settings, topology=Topology(4)) as testbed:
        sinks(testbed)
        testbed.start(settings)
        flood(testbed, 40e6, SECONDS + 0.2).wait()
        found = got(testbed, 0.5, SECONDS)["delivered_bytes"].to_numpy(float)
    rates = [trace.throughput_bps[500:].mean() for trace in traces]
    print(
        scheduler,
        found / found.sum(),
        [rate / sum(rates) for rate in rates],
        [t.phy_rate_bps[500:].mean() for t in traces],
    )
    assert list(found / found.sum()) == pytest.approx([rate / sum(rates) for rate in rates], rel=0.05)
