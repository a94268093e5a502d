"""The state of real connections, on the clock of the link's telemetry."""

import pytest

from mmwemu.link.settings import LinkSettings
from mmwemu.probe.tcp import sampling_tcp
from tests.testbeds import replaying

pytestmark = pytest.mark.link


@pytest.mark.parametrize("backend", ["tun", "tc"])
def test_samples_and_bins_have_one_clock(pattern, ask, backend):
    # Without delays, which the kernel may not have; 0.5 s of outage in the middle.
    settings = LinkSettings(pattern([10e6, 0, 10e6], end="hold"), delay_s=0.0, queue_bytes=30_000)
    with replaying(settings, backend=backend) as testbed, sampling_tcp(testbed, 0.02) as samples:
        ask(testbed.server, "tcp_source", wait=False)
        assert len(samples.frame()) == 0
        ask(testbed.client, "tcp_goodput", 1.2, 0.2)
        tcp, link = samples.frame(), testbed.telemetry()
    sender = tcp[(tcp["role"] == "server") & (tcp["acked_bytes"] > 0)]
    assert len(sender) > 30
    moving = sender[sender["acked_bytes"].diff() > 0]["time_s"]
    # Nothing is acknowledged in the outage, but for what is on its way when it begins.
    assert not moving.between(0.56, 0.98).any()
    assert moving.between(0.4, 0.5).any() and moving.between(1.0, 1.4).any()
    down = link[link["direction"] == "downlink"]
    at_end_s = sender["time_s"].iloc[-1]
    delivered_bytes = down[down["time_s"] < at_end_s]["delivered_bytes"].sum()
    assert sender["acked_bytes"].iloc[-1] == pytest.approx(delivered_bytes * 1448 / 1500, rel=0.1)
    assert set(tcp["role"]) == {"client", "server"}


def test_a_new_start_begins_a_new_clock(pattern, ask):
    settings = LinkSettings(pattern([10e6]), delay_s=0.001, start="now")
    with replaying(settings) as testbed, sampling_tcp(testbed, 0.02) as samples:
        ask(testbed.server, "tcp_source", wait=False)
        ask(testbed.client, "tcp_goodput", 0.2, 0.2)
        testbed.start(settings)
        ask(testbed.client, "tcp_goodput", 0.1, 0.1)
        times_s = samples.frame()["time_s"]
    assert times_s.min() >= 0
    assert times_s.max() < 2
