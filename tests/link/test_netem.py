"""Backend tc with the kernel's netem; scripts/netem-guest runs these on a kernel that has it."""

from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core.errors import MissingError
from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from tests.testbeds import replaying

pytestmark = [pytest.mark.link, pytest.mark.netem]


def open_tc(mode="tbf"):
    return replaying(LinkSettings(constant(1e6, 1.0), delay_s=0.001), backend="tc", tc_mode=mode)


@pytest.fixture(scope="module")
def testbed(ask):
    """Give a testbed with servers, one for all tests."""
    try:
        with open_tc() as opened:
            opened.set_congestion_control("cubic")
            for server in ("udp_echo", "tcp_source"):
                ask(opened.server, server, wait=False)
            yield opened
    except MissingError as error:
        pytest.skip(str(error))


def run_tcp(ask, testbed, settings, seconds):
    """Give goodput and telemetry of a TCP stream of the downlink after a warm-up of a second."""
    testbed.start(settings)
    goodput_bps = float(ask(testbed.client, "tcp_goodput", 1, seconds))
    frame = testbed.telemetry()
    print(f"goodput {goodput_bps / 1e6:.3f} Mbit/s", check(frame, testbed.links[1].tolerance))
    return goodput_bps, frame


def test_netem_delays_both_ways(testbed, pattern, ask):
    testbed.start(LinkSettings(pattern([20e6], delay_s=0.009), delay_s=0.011))
    rtts_s = sorted(float(line) for line in ask(testbed.client, "udp_rtt", 20, 0.01).split())
    assert rtts_s[0] >= 0.040
    assert rtts_s[10] < 0.041


def test_netem_over_a_rate(testbed, pattern, ask):
    settings = LinkSettings(pattern([5e6]), delay_s=0.011, queue_bytes=60_000)
    goodput_bps, _ = run_tcp(ask, testbed, settings, 4.0)
    assert goodput_bps == pytest.approx(5e6 * 1448 / 1500, rel=0.01)


def test_netem_alone_has_the_rate_too(testbed, pattern, ask):
    with open_tc("netem-rate") as alone:
        ask(alone.server, "tcp_source", wait=False)
        goodput_bps, _ = run_tcp(ask, alone, LinkSettings(pattern([5e6]), delay_s=0.011), 4.0)
    assert goodput_bps == pytest.approx(5e6 * 1448 / 1500, rel=0.01)


def test_netem_over_an_outage_and_a_schedule(testbed, pattern, ask):
    steps = pattern([10e6, 2e6, 0, 20e6], step_s=0.1, outage="hold")
    goodput_bps, frame = run_tcp(ask, testbed, LinkSettings(steps, delay_s=0.005, queue_bytes=150_000), 6.0)
    assert goodput_bps == pytest.approx(8e6 * 1448 / 1500, rel=0.01)
    inside = (frame["time_s"] % 0.4).between(0.215, 0.285) & (frame["direction"] == "downlink")
    assert frame.loc[inside, "delivered_bytes"].sum() == 0


def stream(ask, testbed, pattern, count, **effects):
    """Replay effects of the uplink and give number and round trip of the echoes of a stream, in order of arrival."""
    n = len(pattern.time_s)
    uplink = replace(pattern.uplink, **{name: np.full(n, value) for name, value in effects.items()})
    testbed.start(LinkSettings(replace(pattern, uplink=uplink), delay_s=0.0))
    lines = ask(testbed.client, "udp_stream", count, 0.004, 100).splitlines()
    return [(int(line.split()[0]), float(line.split()[2])) for line in lines]


def test_netem_loses_its_share(testbed, pattern, ask):
    came = stream(ask, testbed, pattern([20e6]), 400, loss=0.3)
    frame = testbed.telemetry()
    assert 0.2 < 1 - len(came) / 400 < 0.4
    assert frame["dropped_loss_packets"].sum() == pytest.approx(400 - len(came), abs=3)


def test_netem_loses_in_bursts(testbed, pattern, ask):
    echoes = stream(ask, testbed, pattern([20e6]), 400, gilbert_p=0.1, gilbert_r=0.25, loss_bad=1.0)
    came = np.isin(np.arange(400), [i for i, _ in echoes])
    bursts = np.count_nonzero(came[:-1] & ~came[1:])
    assert 0.1 < 1 - came.mean() < 0.5
    assert (~came).sum() / bursts > 2


def test_netem_doubles(testbed, pattern, ask):
    echoes = stream(ask, testbed, pattern([20e6]), 200, duplication=0.5)
    assert 260 < len(echoes) < 340
    assert len({i for i, _ in echoes}) == 200


def test_netem_lets_some_overtake(testbed, pattern, ask):
    echoes = stream(ask, testbed, pattern([20e6]), 200, delay_s=0.150, reordering=0.2)
    assert len(echoes) == 200
    assert [i for i, _ in echoes] != sorted(i for i, _ in echoes)
    assert 20 < sum(rtt_s < 0.100 for _, rtt_s in echoes) < 70


def test_jitter_keeps_the_order(testbed, pattern, ask):
    echoes = stream(ask, testbed, pattern([20e6]), 200, delay_s=0.020, jitter_s=0.015)
    assert [i for i, _ in echoes] == list(range(200))
    rtts_s = np.array([rtt_s for _, rtt_s in echoes])
    assert rtts_s.min() > 0.005
    assert np.quantile(rtts_s, 0.9) - np.quantile(rtts_s, 0.1) > 0.010


def test_netem_damages(testbed, pattern, ask):
    echoes = stream(ask, testbed, pattern([20e6]), 300, bit_error=3e-5)  # 0.3 of the packets
    assert 0.1 < 1 - len(echoes) / 300 < 0.45
