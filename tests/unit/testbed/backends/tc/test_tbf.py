"""What tbf is set to, and what the kernel cannot do."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.pattern.model import PacketEvent
from mmwemu.testbed.backends.tc import tbf as plan
from mmwemu.testbed.missing import missing_error
from mmwemu.testbed.opening import open_testbed
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


def test_what_needs_netem_is_named():
    plain = LinkSettings(make_pattern([1e6]), delay_s=0.0)
    assert plan.needs_netem(plain, "tbf") == ""
    assert plan.needs_netem(plain, "netem-rate") == "the rate"
    assert plan.needs_netem(replace(plain, delay_s=0.011), "tbf") == "a delay of 11 ms"
    assert plan.needs_netem(replace(plain, pattern=make_pattern([1e6], delay_s=0.1)), "tbf") == "the pattern's delay"
    assert plan.needs_netem(replace(plain, pattern=make_pattern([1e6], loss=0.1)), "tbf") == "the pattern's loss"
    reordered = replace(plain.pattern.downlink, reordering=np.array([0.1]))
    pattern = replace(plain.pattern, downlink=reordered)
    assert plan.needs_netem(replace(plain, pattern=pattern), "tbf") == "the pattern's reordering"
    error = missing_error("netem", "a delay of 11 ms")
    assert error.exit_code == 3
    for words in ("no netem", "a delay of 11 ms", "sudo modprobe sch_netem", "--backend tun", "--delay-ms 0"):
        assert words in str(error)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"aqm": "codel"}, "drop as codel does, its queue is drop-tail"),
        ({"slot_s": 1e-3}, "release packets in slots"),
        ({"queue_packets": 100}, "count its queue in packets, only in bytes or time"),
        ({"pattern": make_pattern([1e6], packets=(PacketEvent("uplink", 1, "lose"),))}, "tell packets by number"),
    ],
)
def test_what_the_kernel_cannot_do_is_refused_by_name(asked, words):
    settings = replace(LinkSettings(make_pattern([1e6]), delay_s=0.0), **asked)
    with pytest.raises(InputError, match=f"backend tc: cannot {words}; use --backend tun"):
        plan.refuse(settings, "tbf")


def test_queues_in_time_become_bytes():
    settings = LinkSettings(make_pattern([8e6]), delay_s=0.01, queue_s=0.1)
    assert plan.queue_bytes(settings) == (100_000, 100_000)
    assert plan.queue_bytes(replace(settings, queue_s=None, queue_bdp=1.0)) == (20_000, 20_000)


@pytest.mark.parametrize(
    ("backend", "mode", "words"),
    [
        ("nosuch", "tbf", "backend: is 'nosuch'"),
        ("tc", "nosuch", "tc-mode: is"),
        ("tun", "netem-rate", "add"),
    ],
)
def test_unknown_backends_and_modes_are_refused(backend, mode, words):
    with pytest.raises(InputError, match=words), open_testbed(LinkSettings(constant(1e6, 1.0)), None, backend, mode):
        pass
