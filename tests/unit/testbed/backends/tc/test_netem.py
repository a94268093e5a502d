"""What netem is set to."""

import math

import pytest

from mmwemu.link.replay import resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.backends.tc import netem
from mmwemu.testbed.backends.tc.timeline import Step
from tests.patterns import make_pattern


def replay_of(rates_bps, delay_s=0.011, queue_bytes=64_000, **options):
    return resolve(LinkSettings(make_pattern(rates_bps, **options), delay_s=delay_s, queue_bytes=queue_bytes))


def test_the_limit_covers_delay_and_queue_in_the_smallest_packets():
    far = resolve(LinkSettings(make_pattern([100e6, 10e6], delay_s=0.009), delay_s=0.011, queue_bytes=64_000))
    assert netem.limit_packets(far) == math.ceil((100e6 / 8 * 0.020 + 64_000) / 64)
    assert netem.limit_packets(replay_of([1e6], queue_bytes=1500)) == 1000
    assert netem.limit_packets(replay_of([math.inf])) > 20_000


def test_netem_above_a_tbf_has_all_but_the_rate():
    found = netem.netem_above(Step(8e6, 0.005, 0.1, jitter_s=0.001), replay_of([8e6], 0.01), 1234)
    assert found.step == Step(0.0, 0.015, 0.1, jitter_s=0.001)
    assert found.limit_packets == 1234
    assert found.rate_bytes_ps > 0  # packets keep their order when the delay falls


def test_netem_alone_loses_all_in_an_outage():
    replay = replay_of([0.0], 0.01, outage="drop")
    assert netem.netem_alone(Step(0.0, gilbert_p=0.1), replay) == netem.Netem(Step(0.0, 0.01, 1.0), 1000, 0)
    assert netem.netem_alone(Step(8e6, 0.005, 0.1), replay) == netem.Netem(Step(0.0, 0.015, 0.1), 1000, 1_000_000)
    assert netem.netem_alone(Step(math.inf), replay).rate_bytes_ps == 0


def test_a_packets_share_of_wrong_bits_is_that_of_a_full_one():
    assert netem.Netem(Step(0.0, bit_error=1e-6), 1, 0).corruption == pytest.approx(1 - (1 - 1e-6) ** 12_000)
    assert netem.Netem(Step(0.0, bit_error=1.0), 1, 0).corruption == 1
