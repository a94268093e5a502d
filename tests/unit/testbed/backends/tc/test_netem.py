"""What netem is set to."""

import math
from dataclasses import replace

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.testbed.backends.tc import netem
from mmwemu.testbed.backends.tc import tbf as plan
from mmwemu.testbed.backends.tc.timeline import Step
from tests.patterns import make_pattern


def test_the_limit_covers_delay_and_queue_in_the_smallest_packets():
    settings = LinkSettings(make_pattern([100e6, 10e6], delay_s=0.009), delay_s=0.011, queue_bytes=64_000)
    assert netem.limit_packets(settings) == math.ceil((100e6 / 8 * 0.020 + 64_000) / 64)
    assert netem.limit_packets(replace(settings, pattern=constant(1e6, 1.0), queue_bytes=1500)) == 1000
    assert netem.limit_packets(replace(settings, pattern=constant(math.inf, 1.0))) > 20_000


def test_netem_alone_loses_all_in_an_outage_and_refuses_to_hold():
    settings = LinkSettings(make_pattern([0.0], outage="drop"), delay_s=0.01)
    assert netem.netem_alone(Step(0.0, gilbert_p=0.1), settings) == netem.Netem(Step(0.0, 0.01, 1.0), 1000, 0)
    assert netem.netem_alone(Step(8e6, 0.005, 0.1), settings) == netem.Netem(Step(0.0, 0.015, 0.1), 1000, 1_000_000)
    plan.refuse(settings, "netem-rate")
    held = replace(settings, pattern=make_pattern([1e6, 0.0]))
    plan.refuse(held, "tbf")
    with pytest.raises(InputError, match="netem alone cannot hold packets in an outage; use --tc-mode tbf"):
        plan.refuse(held, "netem-rate")


def test_a_packets_share_of_wrong_bits_is_that_of_a_full_one():
    assert netem.Netem(Step(0.0, bit_error=1e-6), 1, 0).corruption == pytest.approx(1 - (1 - 1e-6) ** 12_000)
    assert netem.Netem(Step(0.0, bit_error=1.0), 1, 0).corruption == 1
