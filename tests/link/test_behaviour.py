"""What packets meet on a real link, measured by programs that know nothing of it."""

import math
import time

import pytest

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from tests.link import measures
from tests.testbeds import replaying

pytestmark = pytest.mark.link


def test_tcp_gets_the_rate_of_the_pattern_behind_the_default_delay(pattern, ask):
    rate_bps = 100e6
    with replaying(LinkSettings(pattern([rate_bps]))) as testbed:
        testbed.set_congestion_control("cubic")
        ask(testbed.server, "tcp_source", wait=False)
        goodput_bps = float(ask(testbed.client, "tcp_goodput", 1.5, 2))
        result = check(testbed.telemetry())
    most_bps = rate_bps * 1448 / 1500
    assert 0.93 * most_bps < goodput_bps < 1.02 * most_bps
    assert 0.98 < result.delivered_ratio < 1.02
    assert result.excess_bytes <= 3000
    assert result.device_drops == 0


def test_rtt_is_twice_the_delays(pattern, ask):
    with replaying(LinkSettings(pattern([100e6], delay_s=0.004), delay_s=0.011)) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        rtts_s = sorted(float(line) for line in ask(testbed.client, "udp_rtt", 50, 0.01).split())
    assert len(rtts_s) == 50
    assert rtts_s[0] >= 0.030
    assert rtts_s[25] < 0.034  # half of them, on however busy a machine


def test_every_byte_arrives_in_order_through_splitting_loss_and_a_small_queue(pattern, ask):
    changing = pattern([200e6, 5e6, 0, 50e6], step_s=0.05, loss=0.002)
    with replaying(LinkSettings(changing, delay_s=0.002, queue_bytes=20_000)) as testbed:
        testbed.set_congestion_control("cubic")
        ask(testbed.server, "tcp_numbers", 4_000_000, wait=False)
        assert ask(testbed.client, "tcp_check", 4_000_000) == "True\n"
        frame = testbed.telemetry()
    assert frame["dropped_queue_packets"].sum() > 0
    assert frame["dropped_loss_packets"].sum() > 0


def test_an_unlimited_link_passes_gigabits_and_is_intact(pattern, ask):
    with replaying(LinkSettings(pattern([math.inf]), delay_s=0.0)) as testbed:
        ask(testbed.server, "tcp_source", wait=False)
        assert float(ask(testbed.client, "tcp_goodput", 0.3, 1)) > 1e9


def test_an_outage_holds_packets_and_they_come_when_it_ends(pattern):
    outage = pattern([10e6, 0, 10e6], step_s=0.4, outage="hold", end="hold")
    with replaying(LinkSettings(outage, delay_s=0.005)) as testbed:
        came_s = measures.come_after_outage_s(testbed)
    # Held by the uplink's bottleneck up to 0.8 s, then 10 ms of core delays; a little for a busy machine.
    assert min(came_s) >= 0.8 + 0.0099
    assert sorted(came_s)[len(came_s) // 2] < 0.8 + 0.010 + 0.020


def test_an_outage_that_drops_loses_what_is_sent_in_it(pattern):
    outage = pattern([10e6, 0, 10e6], step_s=0.4, outage="drop", end="hold")
    with replaying(LinkSettings(outage, delay_s=0.005)) as testbed:
        sent_s = [row[1] for row in measures.echoed(testbed, 100, 0.01, 100)]
        frame = testbed.telemetry()
    assert not [s for s in sent_s if 0.41 < s < 0.79]
    assert len([s for s in sent_s if s < 0.38]) > 30 and len([s for s in sent_s if s > 0.81]) > 10
    assert frame["dropped_outage_packets"].sum() == 100 - len(sent_s)


def test_a_full_queue_drops_and_says_so(pattern):
    with replaying(LinkSettings(pattern([1e6]), delay_s=0.001, queue_bytes=10_000)) as testbed:
        came = len(measures.echoed(testbed, 50, 0, 972))  # 1000 bytes of IP each
        frame = testbed.telemetry()
    up = frame[frame["direction"] == "uplink"]
    assert up["offered_packets"].sum() == 50
    assert up["queue_max_bytes"].max() == 10_000
    # Ten fit; a few more take the places of those that leave while the rest is sent.
    assert 10 <= came <= 20
    assert up["dropped_queue_packets"].sum() == 50 - came


def test_the_pattern_starts_with_the_first_packet_and_where_it_is_told(pattern, ask):
    steps = pattern([0, 10e6], step_s=1.0, outage="hold", end="hold")
    with replaying(LinkSettings(steps, delay_s=0.005, start_at_s=0.7)) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        assert len(testbed.telemetry()) == 0
        time.sleep(0.5)
        (rtt_s,) = map(float, ask(testbed.client, "udp_rtt", 1, 0).split())
    assert 0.31 <= rtt_s < 0.37  # 0.3 s of outage are left, wherever the clock is


def test_now_means_now(pattern, ask):
    steps = pattern([0, 10e6], step_s=0.5, outage="hold", end="hold")
    with replaying(LinkSettings(steps, delay_s=0.005, start="now")) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        time.sleep(0.5)
        (rtt_s,) = map(float, ask(testbed.client, "udp_rtt", 1, 0).split())
    assert 0.010 <= rtt_s < 0.05


def test_each_start_is_independent(pattern, ask):
    slow = LinkSettings(pattern([100e3]), delay_s=0.005)
    fast = LinkSettings(pattern([10e6]), delay_s=0.005)
    with replaying(slow) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        for settings, least_s, most_s in ((slow, 0.170, 0.25), (fast, 0.0116, 0.05), (slow, 0.170, 0.25)):
            testbed.start(settings)
            ((_, _, rtt_s),) = map(str.split, ask(testbed.client, "udp_stream", 1, 0, 972).splitlines())
            assert least_s <= float(rtt_s) < most_s
            assert testbed.telemetry()["delivered_bytes"].sum() == 2000


def test_a_start_leaves_nothing_of_what_was_on_its_way(pattern, ask):
    stuck = LinkSettings(pattern([0]), delay_s=0.005)
    with replaying(stuck) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        assert ask(testbed.client, "udp_stream", 20, 0, 972) == ""
        assert testbed.telemetry()["queue_bytes"].max() == 20_000
        testbed.start(LinkSettings(pattern([10e6]), delay_s=0.005))
        ask(testbed.client, "udp_rtt", 1, 0)
        assert testbed.telemetry()["delivered_packets"].sum() == 2


def test_both_ends_use_the_congestion_control_that_was_set(pattern, ask):
    with replaying(LinkSettings(pattern([10e6]))) as testbed:
        ask(testbed.server, "congestion_control_server", wait=False)
        for name in ("cubic", "reno"):
            testbed.set_congestion_control(name)
            assert ask(testbed.client, "congestion_control").split() == [name, name]


def test_an_unknown_congestion_control_is_refused_by_name(pattern):
    with replaying(LinkSettings(pattern([10e6]))) as testbed:
        for name in ("nosuch", "a b", ""):
            with pytest.raises(InputError, match=r"this kernel has no such algorithm; it has: .*cubic"):
                testbed.set_congestion_control(name)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "x", "100000", "9" * 40])
def test_an_initial_window_that_is_no_number_is_refused(pattern, text):
    with replaying(LinkSettings(pattern([1e6]))) as testbed:
        with pytest.raises(MmwemuError, match=r"window: .* is no number of packets"):
            testbed.sandboxes[0].ask(f"window {text}")
