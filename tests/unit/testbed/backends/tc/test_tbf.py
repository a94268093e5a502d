"""What tbf is set to."""

import math

from mmwemu.testbed.backends.tc import tbf as plan
from tests.patterns import make_pattern


def test_the_bucket_takes_a_packet_and_half_a_millisecond():
    assert plan.bucket_bytes(1e6) == plan.bucket_bytes(0) == 1600
    assert plan.bucket_bytes(100e6) == 6250
    assert plan.bucket_bytes(math.inf) == plan.bucket_bytes(plan.UNLIMITED_BPS)


def test_a_rate_becomes_bytes_per_second():
    assert plan.shape(80e6, 50_000) == plan.Tbf(10_000_000, 5000, 50_000)
    assert plan.shape(math.inf, 50_000).rate_bytes_ps == 4_000_000_000 < 2**32
    assert plan.shape(1.0, 50_000).rate_bytes_ps == 1


def test_a_held_tbf_takes_packets_and_can_send_none():
    held = plan.hold(50_000)
    fills_ns = held.buffer_ticks * 64
    assert fills_ns * held.rate_bytes_ps >= 1500e9  # a packet of MTU is let in
    assert fills_ns * held.rate_bytes_ps < held.packet_bytes * 1e9  # and never out
    losing = plan.lose(50_000)
    assert losing.buffer_ticks * 64 * losing.rate_bytes_ps < 20e9  # no packet is let in


def test_the_highest_rate_that_is_a_limit_counts():
    assert plan.most_finite_bps(make_pattern([1e6, math.inf, 3e6])) == 3e6
    assert plan.most_finite_bps(make_pattern([math.inf])) == 0
