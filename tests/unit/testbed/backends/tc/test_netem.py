"""What netem is set to."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mmwemu.link.replay import resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.model import Direction
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


def test_the_limit_is_that_of_the_longer_delay_the_higher_rate_and_the_larger_queue():
    pattern = make_pattern([100e6], delay_s=0.009, effects={"jitter_s": 0.002})
    still = Direction(np.array([1e6]), np.zeros(1), np.zeros(1))
    for both in (replace(pattern, uplink=still), replace(pattern, downlink=still)):
        for own in ({"queue_bytes": 640_000, "uplink_queue_bytes": 1500}, {"uplink_queue_bytes": 640_000}):
            replay = resolve(LinkSettings(both, **({"delay_s": 0.011, "queue_bytes": 1500} | own)))
            assert netem.limit_packets(replay) == math.ceil((100e6 / 8 * 0.022 + 640_000) / 64)


def test_the_limit_of_an_unlimited_or_unheard_of_rate():
    assert netem.limit_packets(replay_of([math.inf])) == math.ceil((1e9 / 8 * 0.011 + 64_000) / 64)
    assert netem.limit_packets(replay_of([99e9])) == math.ceil((32e9 / 8 * 0.011 + 64_000) / 64)


def test_netem_alone_has_a_rate_that_fits_its_field():
    replay = replay_of([8e6], 0.01)
    rates = [netem.netem_alone(Step(rate_bps), replay).rate_bytes_ps for rate_bps in (1.0, 32e9, 40e9)]
    assert rates == [1, 4_000_000_000, 2**32 - 1]
    assert netem.netem_above(Step(8e6), replay, 7).rate_bytes_ps == 4_000_000_000


def test_an_outage_of_netem_alone_loses_all_in_either_state():
    lossy = Step(0.0, loss=0.1, gilbert_p=0.1, gilbert_r=0.2, loss_bad=0.5)
    assert netem.netem_alone(lossy, replay_of([0.0], 0.01, outage="drop")).step == Step(
        0.0, 0.01, 1.0, gilbert_p=0.0, gilbert_r=0.0, loss_bad=0.5
    )


def test_the_limit_is_that_of_the_longest_delay_of_any_step():
    replay = resolve(
        LinkSettings(make_pattern([100e6, 10e6], delay_s=[0.001, 0.009]), delay_s=0.011, queue_bytes=64_000)
    )
    assert netem.limit_packets(replay) == math.ceil((100e6 / 8 * 0.020 + 64_000) / 64)
