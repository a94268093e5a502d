"""UDP and TCP through ns-3's stack over the simulated cell."""

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import MissingError
from mmwemu.scenario.changes import Changes
from mmwemu.simulate.ns3 import Ns3Engine

try:
    paths.program("mmwemu-cell")
except MissingError as error:
    pytestmark = pytest.mark.skip(reason=str(error))
else:
    pytestmark = pytest.mark.cell


def simulate(scenario, **changes):
    return Ns3Engine().simulate(Changes(**changes).apply(scenario, "mmwave"), "mmwave", 1)


def test_lite_and_udp_agree_in_every_tenth_of_a_second(scenario):
    lite, udp = (
        simulate(scenario, transport=name, duration_s=2.0).throughput_bps.reshape(-1, 100).mean(axis=1)
        for name in ("lite", "udp")
    )
    assert lite[3:] == pytest.approx(udp[3:], rel=0.01)
    assert lite[3:8].mean() == pytest.approx(1001e6, rel=0.01)
    assert lite[-3:].mean() < 500e6


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
