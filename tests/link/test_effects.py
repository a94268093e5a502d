"""What befalls packets, as programs see it."""

import itertools

import numpy as np
import pytest

from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.model import Direction, PacketEvent, Pattern
from tests.testbeds import replaying

pytestmark = pytest.mark.link


def up_only(*packets, delay_s=0.0, **effects):
    """Make a pattern whose uplink alone has effects."""
    one, zero = np.ones(1), np.zeros(1)
    up = Direction(one * 100e6, one * delay_s, zero, **{name: one * value for name, value in effects.items()})
    return Pattern(np.zeros(1), 1.0, Direction(one * 100e6, zero, zero), up, packets=packets)


def stream(ask, pattern, count=200, pause_s=0.001):
    """Send numbered packets and give which came back in what order, their round trips, and the uplink's telemetry."""
    with replaying(LinkSettings(pattern, delay_s=0.005)) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        rows = [line.split() for line in ask(testbed.client, "udp_stream", count, pause_s, 972).splitlines()]
        frame = testbed.telemetry()
    up = frame[frame["direction"] == "uplink"]
    return [int(row[0]) for row in rows], [float(row[2]) for row in rows], up.sum(numeric_only=True)


def test_jitter_varies_the_delay_and_keeps_the_order(ask):
    order, rtts_s, _ = stream(ask, up_only(delay_s=0.02, jitter_s=0.015), pause_s=0.004, count=150)
    assert order == list(range(150))
    assert min(rtts_s) >= 0.015 and np.ptp(rtts_s) > 0.01


def test_duplicates_come_twice(ask):
    order, _, up = stream(ask, up_only(duplication=0.3))
    assert sorted(set(order)) == list(range(200))
    assert len(order) == 200 + up["duplicated_packets"] and 30 < up["duplicated_packets"] < 90
    assert up["delivered_packets"] == 200


def test_what_overtakes_comes_first(ask):
    order, _, up = stream(ask, up_only(delay_s=0.02, reordering=0.2))
    assert sorted(order) == list(range(200)) and order != list(range(200))
    assert up["reordered_packets"] > 10


def test_bit_errors_are_seen_by_the_checksum(ask):
    order, _, up = stream(ask, up_only(bit_error=5e-5))
    assert 30 < up["damaged_packets"] < 110  # 1 - (1 - 5e-5)^8000 of them
    assert len(order) == 200 - up["damaged_packets"]


def test_tcp_is_whole_through_everything(pattern, ask):
    effects = {"jitter_s": 0.001, "duplication": 0.01, "bit_error": 1e-7, "reordering": 0.01}
    with replaying(LinkSettings(pattern([50e6], delay_s=0.003, effects=effects), delay_s=0.002)) as testbed:
        testbed.set_congestion_control("cubic")
        ask(testbed.server, "tcp_numbers", 4_000_000, wait=False)
        assert ask(testbed.client, "tcp_check", 4_000_000) == "True\n"
        total = testbed.telemetry().sum(numeric_only=True)
    assert min(total[f"{what}_packets"] for what in ("duplicated", "damaged", "reordered")) > 0


def test_losses_come_in_bursts(ask):
    order, _, up = stream(ask, up_only(gilbert_p=0.05, gilbert_r=0.3, loss_bad=1.0), count=400)
    lost = sorted(set(range(400)) - set(order))
    assert len(lost) == up["dropped_loss_packets"] > 10
    assert sum(b == a + 1 for a, b in itertools.pairwise(lost)) > len(lost) / 3


def test_packets_are_met_by_their_number(ask):
    actions = [PacketEvent("uplink", 3, "lose"), PacketEvent("uplink", 5, "duplicate")]
    actions += [PacketEvent("uplink", 7, "corrupt"), PacketEvent("uplink", 9, "delay", 0.1)]
    order, rtts_s, up = stream(ask, up_only(*actions), count=20, pause_s=0.005)
    assert order == [0, 1, 3, 4, 4, 5, 7, *range(9, 20), 8]
    assert rtts_s[-1] > 0.1
    assert [up[f"{what}_packets"] for what in ("duplicated", "damaged", "dropped_loss")] == [1, 1, 1]
