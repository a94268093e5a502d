"""The settings of a cell, and the message that they become."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.link import queue
from mmwemu.link.replay import encode, resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.model import PacketEvent
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import Topology
from tests.patterns import make_pattern

RATES_BPS = (1e6, 2e6, 3e6)
THREE: dict[str, Any] = {"scheduler": "proportional-fair", "others": tuple(make_pattern([r]) for r in RATES_BPS[1:])}


def lines(settings, clients):
    """Return the lines of the message from the first steps on, of each step start and rate alone."""
    access, _ = Topology(clients).split(settings)
    found = encode(resolve(access)).splitlines()
    return [" ".join(line.split()[:2]) for line in found[found.index("steps") :]]


def test_each_client_has_its_pattern():
    settings = LinkSettings(make_pattern([1e6]), **THREE)
    steps = ["steps", "0 1000000.0", "steps", "0 2000000.0", "steps", "0 3000000.0"]
    assert lines(settings, 3) == [*steps, "clients", "0 0", "1 0", "2 0"]
    # Patterns of clients that are not there are left out.
    assert lines(settings, 2) == [*steps[:4], "clients", "0 0", "1 0"]
    assert lines(settings, 1) == [*steps[:2], "clients", "0 0"]


def test_one_pattern_is_everybodys_and_may_be_shifted():
    settings = LinkSettings(make_pattern([1e6]), scheduler="max-rate", client_shift_s=0.25)
    assert lines(settings, 3) == ["steps", "0 1000000.0", "clients", "0 0", "0 250000000", "0 500000000"]


def test_slots_have_a_default_with_a_scheduler_alone():
    assert resolve(LinkSettings(make_pattern([1e6]))).slot_s == 0
    assert resolve(LinkSettings(make_pattern([1e6]), scheduler="round-robin")).slot_s == 500e-6
    assert resolve(LinkSettings(make_pattern([1e6]), scheduler="round-robin", slot_s=125e-6)).slot_s == 125e-6


def test_queues_in_time_are_of_the_mean_of_all_patterns():
    settings = LinkSettings(make_pattern([1e6]), queue_s=0.4, clients=3, **THREE)
    assert queue.resolve(settings, "downlink").size_bytes == 100_000


OTHER = make_pattern([1e6])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"others": (OTHER,)},
            "link: scheduler: is fifo; a pattern for each client needs another, such as --scheduler round-robin",
        ),
        (
            {"client_shift_s": 1.0},
            "link: scheduler: is fifo; a shift between clients needs another, such as --scheduler round-robin",
        ),
        (
            {"scheduler": "round-robin", "client_shift_s": -1.0},
            "link: client_shift_s: is -1; must be from 0 to 10368",
        ),
        (
            {"scheduler": "round-robin", "slot_s": 0.002},
            "link: slot_s: is 0.002; with a scheduler it must be from 125 us to 1 ms",
        ),
        (
            {"scheduler": "round-robin", "others": (OTHER,), "clients": 5},
            "cell: has 2 patterns for 5 clients; it needs one for each, or one for all",
        ),
        (
            {"scheduler": "round-robin", "others": (OTHER, make_pattern([1e6, 1e6]))},
            "cell: pattern 3: lasts 1 s, the first 0.5 s; all must last as long (mmwemu pattern cut, repeat)",
        ),
        (
            {"scheduler": "round-robin", "others": (make_pattern([1e6], end="stop"),)},
            "cell: pattern 2: has end stop, the first loop; all must have the same",
        ),
        (
            {"scheduler": "round-robin", "others": (make_pattern([1e6], outage="drop"),)},
            "cell: pattern 2: has outage drop, the first hold; all must have the same",
        ),
        (
            {"scheduler": "round-robin", "others": (make_pattern([1e6], packets=(PacketEvent("uplink", 1, "lose"),)),)},
            "cell: pattern 2: tells packets by number, which several clients share",
        ),
    ],
)
def test_what_is_no_cell_is_refused(changes, message):
    with pytest.raises(InputError) as error:
        LinkSettings(make_pattern([1e6]), **changes)
    assert str(error.value) == message


def test_a_testbed_refuses_more_clients_than_patterns_before_anything_is_made():
    settings = LinkSettings(make_pattern([1e6]), **THREE)
    Setup(Topology(3)).refuse(settings)
    with pytest.raises(InputError, match=r"^cell: has 3 patterns for 4 clients; it needs one for each"):
        Setup(Topology(4)).refuse(settings)
    with pytest.raises(InputError, match=r"^backend tc: cannot let clients take turns; use --backend tun$"):
        Setup(backend="tc").refuse(replace(settings, clients=1))


@given(st.integers(1, 250), st.integers(1, 6), st.sampled_from(["round-robin", "proportional-fair", "max-rate"]))
def test_a_cell_has_as_many_clients_as_the_testbed_or_is_refused(clients, patterns, scheduler):
    first, *others = (make_pattern([1e6 * (i + 1)]) for i in range(patterns))
    settings = LinkSettings(first, scheduler=scheduler, others=tuple(others))
    try:
        access, _ = Topology(clients).split(settings)
    except InputError:
        assert 1 < patterns < clients
        return
    replay = resolve(access)
    assert len(replay.clients) == clients
    assert all(number < len(replay.patterns) for number, _ in replay.clients)
    if patterns > 1:
        assert [number for number, _ in replay.clients] == list(range(clients))
