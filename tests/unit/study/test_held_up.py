import math

import numpy as np
import pytest

from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.probe.processor_waits import ProcessorWaits
from mmwemu.study.held_up import held_up, room_of
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import CORE, CoreLink, Topology
from tests.fakes import fake_link, fake_testbed


def waits(waited_s, stopped_s=None):
    """Return waits in stretches of 1 s from 10 s on."""
    n = len(waited_s)
    stopped = np.zeros(n) if stopped_s is None else np.array(stopped_s, float)
    return ProcessorWaits(10.0 + np.arange(n + 1), np.array(waited_s, float), stopped)


def test_only_waits_while_the_link_had_room_hold_a_run_up():
    found = held_up(waits([0.2, 0.2, 0.2]), np.array([0.0, 0.5, 1.0]), 10.0, 3.0)
    assert found.waited_s == pytest.approx(0.6)
    assert found.held_up_s == pytest.approx(0.3)
    assert found.because == "for 300 of 3000 ms a program waited for a processor while the link had room"


def test_only_the_time_of_the_run_counts():
    found = held_up(waits([0.4, 0.4, 0.4]), np.ones(3), 10.5, 1.0)
    assert (found.waited_s, found.held_up_s) == pytest.approx((0.4, 0.4))
    assert held_up(waits([0.4]), np.ones(1), 11.0, 5.0).held_up_s == 0


def test_who_stands_stopped_is_held_up_no_longer_than_time_passed():
    found = held_up(waits([0.3, 0.0], [1.0, 0.0]), np.ones(2), 10.0, 2.0)
    assert (found.waited_s, found.stopped_s, found.held_up_s) == pytest.approx((0.3, 1.0, 1.0))
    assert found.because.startswith("for 1000 of 2000 ms a program stood stopped or waited for a processor")


@pytest.mark.parametrize(("waited_s", "is_bound"), [(0.029, False), (0.03, False), (0.031, True)])
def test_more_than_three_percent_is_cpu_bound(waited_s, is_bound):
    assert bool(held_up(waits([waited_s]), np.ones(1), 10.0, 1.0).because) == is_bound


def test_waits_that_the_kernel_does_not_count_are_unknown_and_stops_are_seen_all_the_same():
    found = held_up(waits([math.nan, math.nan], [0.0, 1.0]), np.ones(2), 10.0, 2.0)
    assert (found.waited_s, found.held_up_s) == (None, 1.0)
    assert found.because == "for 1000 of 2000 ms a program stood stopped while the link had room"


def test_a_run_of_no_time_is_not_cpu_bound():
    assert held_up(waits([0.5]), np.ones(1), 10.0, 0.0).because == ""


def test_the_fuller_of_two_links_counts():
    testbed = fake_testbed(Setup(Topology(core=CoreLink())))
    testbed.start(LinkSettings(constant(1e6, 1.0), delay_s=0.0))
    frames = {number: testbed.links[number].telemetry().assign(delivered_bytes=0) for number in (1, CORE)}
    capacity = frames[1]["capacity_bytes"]
    frames[1] = frames[1].assign(delivered_bytes=(0.25 * capacity).astype(int))
    frames[CORE] = frames[CORE].assign(capacity_bytes=capacity, delivered_bytes=(0.75 * capacity).astype(int))
    for number, frame in frames.items():
        fake_link(testbed, number).frame = frame
    begin_s = testbed.links[1].epoch_ns() / 1e9
    shares = room_of(testbed, testbed.client, testbed.telemetry(), begin_s + np.array([0.1, 0.9]))
    assert shares == pytest.approx([0.25], abs=0.01)
