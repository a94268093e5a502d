"""What tbf is set to."""

import math
from dataclasses import replace

import numpy as np

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


def test_settings_that_let_nothing_pass():
    # 6.25 us fill 1600 bytes at 256 MB/s, in ticks of 64 ns; every packet counts as 65,535 bytes.
    assert plan.hold(50_000) == plan.Tbf(256_000_000, 0, 50_000, 98, 65_535)
    assert plan.lose(50_000) == plan.Tbf(256_000_000, 0, 50_000, 1, 65_535)
    assert plan.shape(8e6, 50_000) == plan.Tbf(1_000_000, 1600, 50_000, 0, 0)


def test_the_bucket_grows_from_25_6_mbit_s_on():
    assert [plan.bucket_bytes(rate_bps) for rate_bps in (25.6e6, 25.7e6, 32e9, 64e9)] == [1600, 1607, 2e6, 2e6]


def test_rates_of_both_directions_count():
    slow, fast = make_pattern([1e6]), make_pattern([2e6, math.inf], step_s=0.25)
    both = replace(fast, downlink=replace(fast.downlink, rate_bps=np.array([1e6, 0.0])))
    assert plan.most_finite_bps(slow) == 1e6
    assert plan.most_finite_bps(both) == 2e6
