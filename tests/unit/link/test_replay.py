"""The message of a replay; the emulator's own tests have how it reads one."""

import math
from dataclasses import fields, replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.link.milliproxy import MilliProxy
from mmwemu.link.profile import Aqm
from mmwemu.link.queue import Queue
from mmwemu.link.replay import Replay, decode, encode, resolve
from mmwemu.link.settings import LinkSettings, Scheduler, Start
from mmwemu.pattern.model import EFFECTS, OPTIONAL, Action, Direction, End, Outage, PacketEvent, Pattern
from tests.patterns import make_pattern

NO_EFFECTS = " 0 0.0 0.0 0.0 0.0 0.0 0.0"


def test_a_message_has_names_then_steps_in_whole_nanoseconds():
    pattern = make_pattern([1e6, np.inf, 0], delay_s=0.0125, loss=0.25, outage="drop", end="stop")
    settings = LinkSettings(
        pattern, start="now", start_at_s=0.2, delay_s=0.011, seed=7, slot_s=125e-6, scheduler="round-robin",
        aqm="codel", ecn=True, queue_packets=100, milliproxy=True, milliproxy_information_s=0.01,
        milliproxy_delay_s=0.003, milliproxy_buffer_bytes=5_000_000,
    )  # fmt: skip
    step = " 12500000 0.25" + NO_EFFECTS
    assert encode(resolve(settings, packet_headers=True)) == (
        "replay 1\n"
        "start now\nstart_at_ns 200000000\ncore_delay_ns 11000000\nseed 7\nslot_ns 125000\nscheduler round-robin\n"
        "ecn 1\npacket_headers 1\n"
        "outage drop\nend stop\nduration_ns 1500000000\n"
        "edge_proxy milliproxy\nmilliproxy.buffer_bytes 5000000\nmilliproxy.backlog_limit_bytes 2000000\n"
        "milliproxy.first_window_bytes 400000000\nmilliproxy.information_interval_ns 10000000\n"
        "milliproxy.information_delay_ns 3000000\n"
        "downlink.aqm codel\ndownlink.queue_bytes 0\ndownlink.queue_packets 100\n"
        "uplink.aqm codel\nuplink.queue_bytes 0\nuplink.queue_packets 100\n"
        "steps\n"
        + "0" + 2 * (" 1000000.0" + step) + "\n"
        + "500000000" + 2 * (" inf" + step) + "\n"
        + "1000000000" + 2 * (" 0.0" + step) + "\n"
        "clients\n0 0\n"
    )  # fmt: skip


def test_effects_and_packets_are_written_in_order():
    one, zero = np.ones(1), np.zeros(1)
    down = Direction(one, zero, zero, **{name: np.array([(i + 1) / 16]) for i, name in enumerate(EFFECTS)})
    events = (PacketEvent("uplink", 9, "delay", 0.5), PacketEvent("downlink", 2, "lose"))
    pattern = Pattern(zero, 1.0, down, Direction(one, zero, zero), packets=events)
    lines = encode(resolve(LinkSettings(pattern))).splitlines()
    step, *packets = lines[lines.index("steps") + 1 :]
    effects = ["62500000", "0.125", "0.1875", "0.25", "0.3125", "0.375", "0.4375"]
    assert step.split()[1:11] == ["1.0", "0", "0.0", *effects]
    assert packets == ["packets", "downlink 2 lose 0", "uplink 9 delay 500000000"]


def test_steps_that_change_nothing_are_left_out():
    lines = encode(resolve(LinkSettings(make_pattern([1e6] * 100 + [2e6] * 100)))).splitlines()
    assert [line.split()[0] for line in lines[lines.index("steps") + 1 :]] == ["0", "50000000000"]


def test_the_queues_are_resolved_for_each_direction():
    pattern = replace(make_pattern([80e6]), uplink=make_pattern([8e6]).uplink)
    replay = resolve(LinkSettings(pattern, queue_s=0.1, aqm="pie"))
    assert (replay.downlink, replay.uplink) == (Queue("pie", 1_000_000, 0), Queue("pie", 100_000, 0))
    with pytest.raises(InputError, match="link: queue_s: needs a rate, and the pattern's is unlimited"):
        resolve(LinkSettings(make_pattern([math.inf]), queue_s=0.1))


def test_settings_are_taken_over():
    settings = LinkSettings(make_pattern([1e6]), start="now", start_at_s=0.5, seed=9, delay_s=0.3, slot_s=0.01)
    replay = resolve(settings)
    assert replay.pattern is settings.pattern
    for name in ("start", "start_at_s", "seed", "delay_s", "slot_s", "scheduler", "ecn"):
        assert getattr(replay, name) == getattr(settings, name)
    assert not replay.packet_headers


@pytest.mark.parametrize("first", ["replay 2", "replay 0", "schedule 2 hold loop 9", ""])
def test_another_version_is_refused_by_name(first):
    text = encode(resolve(LinkSettings(make_pattern([1e6])))).replace("replay 1", first, 1)
    with pytest.raises(InputError) as caught:
        decode(text)
    assert str(caught.value) == f"replay: begins with {first!r}; this mmwemu reads replay 1"


def ns(most):
    """Return times of whole nanoseconds, as only those come through."""
    return st.integers(0, most).map(lambda time_ns: time_ns / 1e9)


shares = st.floats(0, 1)
rates = st.one_of(st.floats(0, 1e12), st.just(math.inf))


@st.composite
def directions(draw, n):
    columns = {"rate_bps": rates, **{name: ns(10**10) if name.endswith("_s") else shares for name in OPTIONAL}}
    return Direction(
        **{name: np.array(draw(st.lists(values, min_size=n, max_size=n))) for name, values in columns.items()}
    )


@st.composite
def packet_events(draw):
    action = draw(st.sampled_from(get_args(Action)))
    delay_s = draw(st.integers(1, 10**10)) / 1e9 if action == "delay" else 0.0
    return PacketEvent(draw(st.sampled_from(["downlink", "uplink"])), draw(st.integers(1, 2**62)), action, delay_s)


milliproxies = st.builds(
    MilliProxy, st.integers(0, 10**10), st.integers(0, 10**10), st.integers(0, 10**10), ns(10**10), ns(10**10)
)


@st.composite
def replays(draw):
    edges_us = draw(st.sets(st.integers(1, 10**11), min_size=1, max_size=8))
    edges_ns = sorted(1000 * edge_us for edge_us in edges_us)
    times_s = np.array([0, *edges_ns[:-1]]) / 1e9
    n = len(times_s)
    pattern = Pattern(
        times_s, edges_ns[-1] / 1e9, draw(directions(n)), draw(directions(n)),
        outage=draw(st.sampled_from(get_args(Outage))), end=draw(st.sampled_from(get_args(End))),
        packets=tuple(sorted(draw(st.lists(packet_events(), max_size=4)), key=lambda event: event.number)),
    )  # fmt: skip
    sizes = st.integers(0, 2**40)
    queues = st.builds(Queue, st.sampled_from(get_args(Aqm)), sizes, sizes)
    return Replay(
        pattern=pattern, start=draw(st.sampled_from(get_args(Start))), start_at_s=draw(ns(10**14)),
        delay_s=draw(ns(3600 * 10**9)), seed=draw(st.integers(0, 2**62 - 1)), slot_s=draw(ns(10**9)),
        scheduler=draw(st.sampled_from(get_args(Scheduler))), ecn=draw(st.booleans()), downlink=draw(queues),
        uplink=draw(queues), packet_headers=draw(st.booleans()), milliproxy=draw(st.none() | milliproxies),
    )  # fmt: skip


@given(replays())
@settings(max_examples=150)
def test_a_replay_comes_through_whole(replay):
    text = encode(replay)
    again = decode(text)
    assert encode(again) == text
    for field in fields(Replay):
        if field.name != "pattern":
            assert getattr(again, field.name) == getattr(replay, field.name)
    ours, theirs = replay.pattern, again.pattern
    assert (theirs.duration_s, theirs.outage, theirs.end) == (ours.duration_s, ours.outage, ours.end)
    assert theirs.packets == ours.packets
    # Each step as it was, those that change nothing as part of the one before.
    places = np.searchsorted(theirs.time_s, ours.time_s, side="right") - 1
    for name in ("downlink", "uplink"):
        for key in ("rate_bps", *OPTIONAL):
            np.testing.assert_array_equal(
                getattr(getattr(theirs, name), key)[places], getattr(getattr(ours, name), key)
            )


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_a_time_between_nanoseconds_moves_by_half_a_nanosecond_at_most(whole_ns, share):
    delay_s = (whole_ns + share / 1e9) / 1e9
    again = decode(encode(resolve(LinkSettings(make_pattern([1e6], delay_s=delay_s), delay_s=delay_s))))
    assert again.delay_s == pytest.approx(delay_s, abs=0.51e-9)
    assert again.pattern.downlink.delay_s[0] == pytest.approx(delay_s, abs=0.51e-9)
