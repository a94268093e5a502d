"""What the kernel's queueing disciplines cannot do, and what they need of the kernel."""

import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.profile import Aqm
from mmwemu.link.replay import resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.model import OPTIONAL, PacketEvent
from mmwemu.testbed.backends.tc.support import COSTS, TcMode, needs_netem, refuse
from tests.patterns import make_pattern

PLAIN = LinkSettings(make_pattern([1e6]), delay_s=0.0)


def test_what_needs_netem_is_named():
    def needs(mode="tbf", **changes):
        return needs_netem(resolve(replace(PLAIN, **changes)), mode)

    assert needs() == ""
    assert needs("netem-rate") == "the rate"
    assert needs(delay_s=0.011) == "a delay of 11 ms"
    for name in OPTIONAL:
        one = replace(PLAIN.pattern.uplink, **{name: np.array([0.1])})
        words = name.removesuffix("_s").replace("_", " ")
        assert needs(pattern=replace(PLAIN.pattern, uplink=one)) == f"the pattern's {words}"


@pytest.mark.parametrize("mode", get_args(TcMode))
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        *(({"aqm": aqm}, f"drop as {aqm} does, its queue is drop-tail") for aqm in get_args(Aqm)[1:]),
        ({"slot_s": 1e-3}, "release packets in slots"),
        ({"scheduler": "round-robin"}, "let clients take turns"),
        ({"queue_packets": 100}, "count its queue in packets, only in bytes or time"),
        ({"pattern": make_pattern([1e6], packets=(PacketEvent("uplink", 1, "lose"),))}, "tell packets by number"),
    ],
)
def test_what_the_kernel_cannot_do_is_refused_by_name(asked, words, mode):
    with pytest.raises(InputError) as caught:
        refuse(resolve(replace(PLAIN, **asked)), mode)
    assert str(caught.value) == f"backend tc: cannot {words}; use --backend tun"


def test_netem_alone_refuses_to_hold():
    refuse(resolve(replace(PLAIN, pattern=make_pattern([0.0], outage="drop"))), "netem-rate")
    held = resolve(replace(PLAIN, pattern=make_pattern([1e6, 0.0])))
    refuse(held, "tbf")
    with pytest.raises(InputError, match="netem alone cannot hold packets in an outage; use --tc-mode tbf"):
        refuse(held, "netem-rate")


def test_queues_in_bytes_or_time_can_be_had():
    for size in ({}, {"queue_bytes": 9000}, {"queue_s": 0.1}, {"queue_bdp": 1.0}):
        refuse(resolve(replace(PLAIN, delay_s=0.01, **size)), "tbf")
    refuse(resolve(replace(PLAIN, pattern=make_pattern([math.inf]))), "tbf")


def test_the_mode_of_earlier_studies_has_its_cost():
    assert list(COSTS) == ["netem-rate"]
    assert "limit of 1000 packets" in COSTS["netem-rate"]
