"""UDP and TCP through ns-3's stack over the simulated cell."""

from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import MissingError
from mmwemu.scenario import read
from mmwemu.scenario.changes import Changes
from mmwemu.scenario.model import Proxy, Ue, Uplink, Waypoint
from mmwemu.simulate.ns3 import Ns3Engine

try:
    paths.program("mmwemu-cell")
except MissingError as error:
    pytestmark = pytest.mark.skip(reason=str(error))
else:
    pytestmark = pytest.mark.cell


def simulate(scenario, **changes):
    return Ns3Engine().simulate(Changes(**changes).apply(scenario, "mmwave"), "mmwave", 1)


@pytest.mark.parametrize(("name", "duration_s"), [("s1", 3.0), ("s2", 6.0), ("s3", 8.0)])
def test_lite_and_udp_agree_in_every_tenth_of_a_second(name, duration_s):
    traces = [simulate(read.load(name), transport=kind, duration_s=duration_s) for kind in ("lite", "udp")]
    assert {0, 1} == set(traces[0].los)
    lite, udp = (trace.throughput_bps.reshape(-1, 100).mean(axis=1)[3:] for trace in traces)
    assert lite == pytest.approx(udp, rel=0.01, abs=1e4)
    assert lite[:5].mean() == pytest.approx(1001e6, rel=0.01)
    assert lite.min() < 500e6


@pytest.mark.parametrize("kind", ["lite", "udp"])
def test_processing_delays_every_packet_by_its_time_and_loses_none(scenario, kind):
    plain, slow = (
        simulate(replace(scenario, mmwave=replace(scenario.mmwave, processing_s=processing_s)), transport=kind,
                 duration_s=0.9)
        for processing_s in (0.0, 0.002)
    )  # fmt: skip
    assert slow.throughput_bps[2:] == pytest.approx(plain.throughput_bps[:-2])
    moved_s = slow.optional["ran_delay_s"][202:] - plain.optional["ran_delay_s"][200:-2]
    assert moved_s == pytest.approx(0.002, abs=1e-9)


def test_processing_takes_its_time_in_both_directions(scenario):
    round_trips_s = [
        np.nanmin(simulate(replace(scenario, mmwave=replace(scenario.mmwave, uplink=uplink, processing_s=processing_s)),
                           transport="tcp", duration_s=0.5).optional["rtt_s"])
        for uplink in (Uplink(), Uplink(0.3))
        for processing_s in (0.0, 0.002)
    ]  # fmt: skip
    assert np.diff(round_trips_s)[::2] == pytest.approx(0.004, abs=2e-4)


def test_tcp_starts_slowly_and_reaches_the_rate_of_its_source(scenario):
    trace = simulate(scenario, transport="tcp", duration_s=0.9)
    sender = trace.optional
    assert np.isnan(sender["cwnd_bytes"][:100]).all()
    assert sender["cwnd_bytes"][130] < 100_000
    assert trace.throughput_bps[150:180].mean() < 200e6
    assert trace.throughput_bps[700:].mean() == pytest.approx(1001e6, rel=0.02)
    assert 0.019 < np.nanmin(sender["rtt_s"]) < 0.022
    assert sender["retransmissions"].sum() == 0
    assert np.nanmedian(sender["ran_delay_s"][700:]) < 0.001
    assert trace.meta["header_bytes"] == 52


def test_a_file_ends(scenario):
    trace = simulate(scenario, transport="tcp", duration_s=0.9, file_bytes=1_000_000)
    assert trace.throughput_bps.sum() * trace.bin_s / 8 == pytest.approx(1_000_000, abs=1)


def test_rlc_um_loses_what_harq_does_not_repair(scenario):
    um = simulate(scenario, duration_s=2.2, rlc_mode="um", harq=False)
    assert um.optional["rlc_losses"].sum() > 0
    am = simulate(scenario, duration_s=2.2, harq=False)
    assert am.optional["rlc_losses"].sum() == 0


def test_milliproxy_keeps_the_rate_and_not_the_queue(scenario):
    """A source faster than the cell, over a short core; Polese et al. 2017 have latencies 12 times as short then."""
    fast = replace(scenario, traffic=replace(scenario.traffic, rate_bps=4e9))
    plain, steered = (
        simulate(fast, transport="tcp", duration_s=0.5, core_delay_s=0.002, congestion_control="newreno", proxy=proxy)
        for proxy in ("none", "milliproxy")
    )
    late = slice(250, None)
    assert steered.throughput_bps[late].mean() > 0.95 * plain.throughput_bps[late].mean()
    plain_s, steered_s = (np.nanmean(one.optional["ran_delay_s"][late]) for one in (plain, steered))
    assert steered_s < 1e-3 < plain_s / 5
    assert steered.drops.sum() == steered.optional["retransmissions"].sum() == 0


def test_milliproxy_told_late_still_keeps_the_rate(scenario):
    fast = replace(scenario, traffic=replace(scenario.traffic, rate_bps=4e9))
    late = Proxy(kind="milliproxy", information_interval_s=0.01, information_delay_s=0.003)
    fast = replace(fast, traffic=replace(fast.traffic, tcp=replace(fast.traffic.tcp, proxy=late)))
    trace = simulate(fast, transport="tcp", duration_s=0.5, core_delay_s=0.002, congestion_control="newreno")
    assert trace.throughput_bps[250:].mean() > 2.5e9
    assert np.nanmean(trace.optional["ran_delay_s"][250:]) < 1e-3


@pytest.mark.parametrize("control", ["newreno", "cubic", "bbr"])
def test_each_congestion_control_reaches_the_rate_of_its_source(scenario, control):
    trace = simulate(scenario, transport="tcp", duration_s=0.9, congestion_control=control)
    assert trace.throughput_bps[600:].mean() == pytest.approx(1001e6, rel=0.02)
    assert trace.optional["retransmissions"].sum() == 0


def test_bbr_finds_the_bottleneck_and_keeps_its_queue_short(scenario):
    """A source faster than the cell: BBR holds some round trips of queue at most, CUBIC fills the window's worth."""
    fast = replace(scenario, traffic=replace(scenario.traffic, rate_bps=5e9), boxes=())
    rates, queues = {}, {}
    for control in ("bbr", "cubic"):
        trace = simulate(fast, transport="tcp", duration_s=1.0, congestion_control=control)
        rates[control] = trace.throughput_bps[600:].mean()
        queues[control] = trace.rlc_queue_bytes[600:].mean()
    possible = 3.167e9 * 1400 / (1452 + 3)
    assert rates["cubic"] == pytest.approx(possible, rel=0.03)
    assert rates["bbr"] > 0.8 * possible
    assert queues["bbr"] < 0.3 * queues["cubic"]


def test_pacing_spreads_the_segments_of_a_window(scenario):
    """Without it a window leaves at once each round trip; with it it fills half of one, and grows as fast."""
    rates, shares = {}, {}
    for pacing in (False, True):
        trace = simulate(scenario, transport="tcp", duration_s=0.6, pacing=pacing, initial_window=30)
        # The window of the second round trip, which begins 50 ms after the connection was asked for.
        second = trace.throughput_bps[145:168]
        shares[pacing] = second.max() / second.sum()
        rates[pacing] = trace.throughput_bps[450:].mean()
    assert shares[False] > 0.9
    assert shares[True] < 0.25
    assert rates[True] == pytest.approx(rates[False], rel=0.02)


def test_each_of_several_ues_has_a_connection(scenario):
    """Its segments take a slot each with a fixed TTI, so that the slow one, too, has a third of the airtime."""
    rates_bps = {-3.0: 5e9, -5.0: 1e8, -7.0: 5e9}
    ues = tuple(Ue((Waypoint(0.0, (75.0, y, 1.0)),), rate, 0.0, 0.1) for y, rate in rates_bps.items())
    several = Changes(transport="tcp", duration_s=0.6).apply(replace(scenario, ues=ues), "mmwave")
    traces = Ns3Engine().simulate_ues(several, "mmwave", 1)
    rates = [trace.throughput_bps[450:].mean() for trace in traces]
    assert rates[1] == pytest.approx(1e8, rel=0.02)
    assert rates[::2] == pytest.approx([3.167e9 / 3 * 1400 / 1455] * 2, rel=0.05)
    assert len({tuple(np.nan_to_num(trace.optional["cwnd_bytes"])) for trace in traces}) > 1


@pytest.mark.parametrize(("tti", "left"), [("fixed", 0.8), ("flexible", 0.98)])
def test_acknowledgements_take_airtime_of_the_uplink(scenario, tti, left):
    """A fixed TTI wastes what an ACK leaves of its slot (Zhang et al. 2016, scenario 1)."""
    fast = replace(scenario, boxes=(), traffic=replace(scenario.traffic, rate_bps=5e9))
    rates = []
    for uplink in (Uplink(), Uplink(share=0.2)):
        radio = replace(fast, mmwave=replace(fast.mmwave, tti=tti, uplink=uplink))
        trace = simulate(radio, transport="tcp", duration_s=0.8)
        rates.append(trace.throughput_bps[600:].mean())
    assert rates[1] / rates[0] == pytest.approx(left, abs=0.03)
