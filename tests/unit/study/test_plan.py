import math

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings
from mmwemu.study.plan import ReplayPlan
from mmwemu.testbed.tcp import TcpChoices
from mmwemu.testbed.topology import CoreLink
from tests.patterns import make_pattern


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"repetitions": 0}, "repetitions: is 0; must be at least 1"),
        ({"delay_s": math.nan}, "link: delay_s: is nan; must be from 0 to 3600"),
        ({"starts_at_s": ()}, "start-at: has no value; at least one is needed"),
        ({"start_between_s": (2.0, 1.0)}, "start-random: is 2-1 s; must rise from 0 to at most 2592000"),
        ({"start_between_s": (-1.0, 1.0)}, "start-random: is -1-1 s; must rise from 0 to at most 2592000"),
        ({"start_between_s": (0.0, math.inf)}, "start-random: is 0-inf s; must rise from 0 to at most 2592000"),
        (
            {"start_between_s": (0.0, 2_592_000.5)},
            "start-random: is 0-2592000.5 s; must rise from 0 to at most 2592000",
        ),
        (
            {"vary": {"clients": (1, 2)}},
            "clients: cannot be varied; the link profile and"
            " congestion_control, initial_window, pacing, window_bytes can",
        ),
        ({"initial_window": 0}, "initial-window: is 0 packets; must be from 1 to 10000"),
        ({"vary": {"window_bytes": (None, 9)}}, "window: is 9 bytes; must be from 4096 to 1073741824"),
        (
            {"vary": {"pacing": (None, 1e6)}},
            "pacing: varies with none, and a paced socket stays paced; compare with another experiment",
        ),
        ({"vary": {"delay_s": ()}}, "delay_s: is []; must be different values"),
        ({"vary": {"delay_s": (0.1, 0.1)}}, "delay_s: is [0.1, 0.1]; must be different values"),
        ({"vary": {"delay_s": (0.1, -1.0)}}, "link: delay_s: is -1; must be from 0 to 3600"),
        ({"packets": ("csv",)}, "packets: is 'csv'; must be one of parquet, pcapng"),
        ({"packets": ("parquet",), "backend": "tc"}, "backend tc: cannot provide packets; use --backend tun"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(changes, message):
    with pytest.raises(InputError) as caught:
        ReplayPlan(**changes)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clients": 0}, "clients: is 0; must be from 1 to 250"),
        ({"clients": 2, "backend": "tc"}, "backend tc: cannot provide several clients; use --backend tun"),
        ({"core_loss": 2.0}, "core link: loss: is 2; must be from 0 to 1"),
        ({"core_rate_bps": math.inf}, "core-rate: is inf; must be finite and above 0, or None for unlimited"),
        ({"tc_mode": "netem-rate"}, "tc-mode: is 'netem-rate', which works with backend tc only; add --backend tc"),
    ],
)
def test_a_testbed_that_cannot_be_had_is_refused(changes, message):
    with pytest.raises(InputError) as caught:
        _ = ReplayPlan(**changes).setup
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("changes", "core"),
    [
        ({}, None),
        ({"edge": True}, CoreLink()),
        ({"serve_edge": "cmd"}, CoreLink()),
        ({"edge_proxy": "split"}, CoreLink()),
        ({"core_rate_bps": 1e9}, CoreLink(1e9)),
        ({"core_loss": 0.1}, CoreLink(loss=0.1)),
    ],
)
def test_what_needs_an_edge_makes_one(changes, core):
    setup = ReplayPlan(clients=3, **changes).setup
    assert (setup.topology.core, setup.topology.clients, setup.topology.shared) == (core, 3, True)


def test_the_defaults_are_one_replay_from_the_start_with_cubic_by_tun():
    plan = ReplayPlan()
    assert (plan.repetitions, plan.starts_at_s, plan.seed, plan.congestion_control) == (1, (0.0,), 1, "cubic")
    assert (plan.backend, plan.tc_mode, plan.scheduler, plan.clients) == ("tun", "tbf", "fifo", 1)
    assert (plan.setup.topology.core, plan.packets, plan.start_between_s) == (None, (), None)


def test_the_ends_of_each_range_are_in_it():
    assert ReplayPlan(start_between_s=(2.0, 2.0)).starts_of(1) == (2.0,)
    assert ReplayPlan(start_between_s=(0.0, 0.0)).starts_of(1) == (0.0,)
    assert ReplayPlan(start_between_s=(2_592_000.0, 2_592_000.0)).starts_of(1) == (2_592_000.0,)
    assert ReplayPlan(core_rate_bps=0.5).core_rate_bps == 0.5
    for rate_bps in (0.0, -1.0):
        with pytest.raises(InputError, match=r"core-rate: is .*; must be finite and above 0, or None for unlimited"):
            ReplayPlan(core_rate_bps=rate_bps)


def test_a_window_or_pacing_of_one_product_follows_from_the_mean_rate_of_the_downlink_and_the_round_trip():
    # 10 Mbit/s for half of the time and 30 for the other half, over 50 ms and 10 ms of the access link each way.
    link = LinkSettings(make_pattern([10e6, 30e6], delay_s=0.01), delay_s=0.025)
    plan = ReplayPlan(initial_window="bdp", pacing="bdp", window_bytes=10**6)
    assert plan.tcp_choices(link) == TcpChoices(117, 20e6 * 1448 / 1500, 10**6)  # 20 Mbit/s x 70 ms / 12 kbit
    assert ReplayPlan().tcp_choices(link) == TcpChoices()
    assert plan.override(window_bytes=None, delay_s=9.0).tcp_choices(link).initial_window == 117


@pytest.mark.parametrize(
    ("changes", "rate_bps", "message"),
    [
        (
            {"initial_window": "bdp"}, math.inf,
            "initial-window: is bdp, and the pattern's rate is unlimited; give packets",
        ),
        ({"pacing": "bdp"}, math.inf, "pacing: is bdp, and the pattern's rate is unlimited; give a rate"),
        ({"initial_window": "bdp"}, 100e9, "initial-window: is 183334 packets; must be from 1 to 10000"),
        ({"pacing": "bdp"}, 100.0, "pacing: is 96.53333333 bit/s; must be from 12000 to 1e+12"),
        (
            {"initial_window": "bdp", "window_bytes": 10**6}, 1e9,
            "window: is 1000000 bytes; an initial window of 1834 packets needs at least 5502000",
        ),
    ],
)  # fmt: skip
def test_a_product_that_the_kernel_does_not_take_is_refused(changes, rate_bps, message):
    link = LinkSettings(make_pattern([rate_bps]))
    with pytest.raises(InputError) as caught:
        ReplayPlan(**changes).tcp_choices(link)
    assert str(caught.value) == message


def test_drawn_starts_are_whole_milliseconds_and_differ_by_seed_and_repetition():
    plan = ReplayPlan(start_between_s=(0.0, 9.0), seed=5)
    starts = [plan.starts_of(repetition)[0] for repetition in range(1, 30)]
    assert len(set(starts)) == 29
    assert all(start == round(start, 3) for start in starts) and any(start != round(start, 2) for start in starts)
    assert ReplayPlan(start_between_s=(0.0, 9.0), seed=6).starts_of(1) != plan.starts_of(1)
    # The same seed gives the same starts in every version.
    assert starts[:2] == [1.417, 1.203]
