import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.link.replay import decode, encode, resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern import algebra
from mmwemu.pattern.algebra.blocking import Blockage, remaining_of
from mmwemu.pattern.formats import native
from mmwemu.pattern.measures import mean_rate_bps
from mmwemu.pattern.model import OPTIONAL, Direction, PacketEvent, Pattern
from tests.patterns import make_pattern

some = settings(max_examples=60, deadline=None)
RATES = st.one_of(st.just(0.0), st.floats(1.0, 1e9))
DIRECTIONS = ("downlink", "uplink")


@st.composite
def directions(draw, n, rates=RATES):
    def column(values):
        return np.array(draw(st.lists(values, min_size=n, max_size=n)), dtype=float)

    return Direction(column(rates), column(st.sampled_from([0.0, 0.001, 0.25])), column(st.floats(0, 1)))


@st.composite
def patterns(draw, rates=RATES, most=6):
    lengths_ms = draw(st.lists(st.integers(1, 5000), min_size=1, max_size=most))
    edges_s = np.cumsum([0, *lengths_ms]) / 1e3
    n = len(lengths_ms)
    rule, end = draw(st.sampled_from(["hold", "drop"])), draw(st.sampled_from(["loop", "hold", "stop"]))
    packets = (PacketEvent("downlink", 17, "lose"),) if draw(st.booleans()) else ()
    down, up = draw(directions(n, rates)), draw(directions(n, rates))
    return Pattern(edges_s[:-1], float(edges_s[-1]), down, up, rule, end, {"rat": "lte"}, packets)


def megabits(pattern):
    """Return the integral of the rate in each direction, Mbit."""
    return [mean_rate_bps(pattern, getattr(pattern, one).rate_bps) * pattern.duration_s / 1e6 for one in DIRECTIONS]


def same_link(one, other):
    """Return whether two patterns tell a link the same, whatever their metadata say and their steps are cut into."""
    one, other = (algebra.cut(each) for each in (one, other))
    return (
        np.array_equal(one.time_s, other.time_s)
        and (one.duration_s, one.outage, one.end, one.packets)
        == (other.duration_s, other.outage, other.end, other.packets)
        and all(
            np.array_equal(getattr(getattr(one, d), name), getattr(getattr(other, d), name))
            for d in DIRECTIONS
            for name in ("rate_bps", *OPTIONAL)
        )
    )


def assert_usable(pattern, *verbs):
    """Check that a pattern survives its file, that a link takes it, and that its metadata tell what was done."""
    again = native.loads(native.dumps(pattern), "p.csv")
    assert native.dumps(again) == native.dumps(pattern)
    decode(encode(resolve(LinkSettings(again))))
    assert [done["verb"] for done in again.meta["operations"]] == list(verbs)
    assert again.meta["rat"] == "lte"


@given(patterns(), st.data())
@some
def test_adjoining_parts_make_the_whole_again(pattern, data):
    assume(pattern.duration_s > 0.001)
    pattern = replace(pattern, packets=())
    middle_s = data.draw(st.integers(1, round(pattern.duration_s * 1e3) - 1)) / 1e3
    parts = algebra.cut(pattern, 0, middle_s), algebra.cut(pattern, middle_s)
    assert [part.duration_s for part in parts] == [middle_s, round(pattern.duration_s - middle_s, 9)]
    whole = algebra.concat(parts)
    assert same_link(whole, pattern)
    assert_usable(whole, "cut", "concat")


@given(patterns(), st.integers(-20_000, 20_000))
@some
def test_a_shift_back_undoes_a_shift_and_no_byte_is_lost(pattern, by_ms):
    shifted = algebra.shift(pattern, by_ms / 1e3)
    assert megabits(shifted) == pytest.approx(megabits(pattern))
    assert_usable(shifted, "shift")
    assert same_link(algebra.shift(shifted, -by_ms / 1e3), pattern)


def test_a_shift_moves_everything_later():
    shifted = algebra.shift(make_pattern([1e6, 2e6, 3e6], step_s=1.0), 0.25)
    assert shifted.time_s.tolist() == [0, 0.25, 1.25, 2.25]
    assert shifted.downlink.rate_bps.tolist() == [3e6, 1e6, 2e6, 3e6]


@given(patterns(), st.integers(1, 5))
@some
def test_a_repeated_pattern_is_itself_one_after_the_other(pattern, times):
    pattern = replace(pattern, packets=())
    repeated = algebra.repeat(pattern, times)
    assert same_link(repeated, algebra.concat([pattern] * times))
    assert megabits(repeated) == pytest.approx([times * bits for bits in megabits(pattern)])
    assert_usable(repeated, "repeat")


@given(patterns(), st.sampled_from([0.5, 2.0, 3.0, 10.0]))
@some
def test_slow_time_carries_more_bytes_and_fast_time_fewer(pattern, factor):
    slowed = algebra.slow(pattern, factor)
    assert slowed.duration_s == pytest.approx(pattern.duration_s * factor)
    assert megabits(slowed) == pytest.approx([factor * bits for bits in megabits(pattern)])
    assert same_link(algebra.slow(slowed, 1 / factor), pattern)
    assert_usable(slowed, "slow")


@given(patterns(), st.floats(0.001, 1000), st.sampled_from(["both", *DIRECTIONS]))
@some
def test_scaling_back_undoes_scaling(pattern, factor, direction):
    scaled = algebra.scale(pattern, factor, direction=direction)
    back = algebra.scale(scaled, 1 / factor, direction=direction)
    for name in DIRECTIONS:
        before, after = (getattr(one, name).rate_bps for one in (pattern, scaled))
        np.testing.assert_allclose(after, before * factor if direction in ("both", name) else before)
        np.testing.assert_allclose(getattr(back, name).rate_bps, before, rtol=1e-14)
    assert_usable(scaled, "scale")


@given(patterns(st.floats(1e4, 1e6)), st.floats(1.0, 1e10), st.sampled_from(["mean_bps", "peak_bps"]))
@some
def test_a_mean_or_peak_is_reached_and_directions_keep_their_ratio(pattern, wanted_bps, which):
    before = megabits(pattern)
    scaled = algebra.scale(pattern, **{which: wanted_bps})
    rate_bps = scaled.downlink.rate_bps
    reached = mean_rate_bps(scaled, rate_bps) if which == "mean_bps" else rate_bps.max()
    assert reached == pytest.approx(wanted_bps)
    after = megabits(scaled)
    assert after[1] * before[0] == pytest.approx(before[1] * after[0])


@given(patterns(st.one_of(RATES, st.just(math.inf))), st.floats(0, 1e8), st.floats(1e8, 1e9))
@some
def test_clipping_twice_is_clipping_once(pattern, least_bps, most_bps):
    clipped = algebra.clip(pattern, least_bps, most_bps)
    for name in DIRECTIONS:
        rate_bps = getattr(clipped, name).rate_bps
        assert ((rate_bps >= least_bps) & (rate_bps <= most_bps)).all()
    assert same_link(algebra.clip(clipped, least_bps, most_bps), clipped)
    assert_usable(clipped, "clip")


@given(patterns(), st.integers(1, 3000))
@some
def test_a_resampled_pattern_carries_the_same_bytes_in_steps_of_equal_length(pattern, step_ms):
    resampled = algebra.resample(pattern, step_ms / 1e3)
    assert megabits(resampled) == pytest.approx(megabits(pattern), rel=1e-9)
    assert resampled.duration_s == pattern.duration_s
    edges_ms = resampled.time_s * 1e3
    assert np.abs(edges_ms / step_ms - np.rint(edges_ms / step_ms)).max() < 1e-9
    for name in DIRECTIONS:
        before, after = (getattr(one, name) for one in (pattern, resampled))
        for column in ("rate_bps", *OPTIONAL):
            low, high = getattr(before, column).min(), getattr(before, column).max()
            assert (getattr(after, column) >= low).all()
            assert (getattr(after, column) <= high).all()
    assert_usable(resampled, "resample")


def test_loss_and_delay_are_averaged_over_what_is_carried():
    pattern = make_pattern([0, 3e6, 1e6], step_s=1.0, delay_s=[0.9, 0.1, 0.5])
    resampled = algebra.resample(pattern, 3.0)
    assert resampled.downlink.delay_s == pytest.approx([(3 * 0.1 + 0.5) / 4])


def test_a_rest_of_less_than_a_step_joins_the_one_before():
    pattern = make_pattern([1e6, 2e6], times_s=[0, 0.5, 1.0000005])
    assert algebra.resample(pattern, 0.1).time_s.tolist() == [0, 0.5]


def test_loss_in_bursts_that_changes_has_no_mean():
    down = replace(make_pattern([1, 2]).downlink, gilbert_p=np.array([0.0, 0.1]))
    with pytest.raises(InputError, match="pattern: gilbert_p: changes over time; loss in bursts has no mean"):
        algebra.resample(replace(make_pattern([1, 2]), downlink=down), 1)


@st.composite
def blockages(draw):
    duration_ms = draw(st.integers(50, 2000))
    ramp_ms = draw(st.sampled_from([0, duration_ms / 2, duration_ms / 5]))
    every_s = draw(st.one_of(st.none(), st.integers(duration_ms, 4000).map(lambda ms: ms / 1e3)))
    remaining = draw(st.sampled_from([0.0, 0.2, 1.0]))
    return Blockage(draw(st.integers(0, 900)) / 1e3, duration_ms / 1e3, remaining, ramp_ms / 1e3, every_s)


@given(st.lists(st.sampled_from([0.0, 1e6, 8e6]), min_size=1, max_size=4), blockages())
@some
def test_a_blockage_takes_what_its_ramps_and_depth_say(rates_bps, overlay):
    pattern = replace(make_pattern(rates_bps, step_s=2.5), meta={"rat": "lte"})
    blocked = algebra.blockage(pattern, overlay)
    assert_usable(blocked, "blockage")
    starts_s = np.arange(overlay.start_s, pattern.duration_s, overlay.every_s or math.inf)
    times_s = (np.arange(20_000) + 0.5) / 20_000 * pattern.duration_s
    share = np.ones(len(times_s))
    for start_s in starts_s:
        inside = np.minimum(times_s - start_s, start_s + overlay.duration_s - times_s)
        depth = (inside > 0) if overlay.ramp_s == 0 else np.clip(inside / overlay.ramp_s, 0, 1)
        share -= (1 - overlay.remaining) * depth
    before = pattern.downlink.rate_bps[np.searchsorted(pattern.time_s, times_s, side="right") - 1]
    expected = float((before * share).mean() * pattern.duration_s / 1e6)
    assert megabits(blocked)[0] == pytest.approx(expected, rel=0.01, abs=0.05)


def test_an_outage_is_exact_at_its_boundaries_and_in_its_direction():
    pattern = make_pattern([1e6], step_s=10.0)
    blocked = algebra.blockage(pattern, Blockage(2.0, 0.5, every_s=4.0), "downlink", "drop")
    assert blocked.time_s.tolist() == [0, 2, 2.5, 6, 6.5]
    assert blocked.downlink.rate_bps.tolist() == [1e6, 0, 1e6, 0, 1e6]
    assert blocked.uplink.rate_bps.tolist() == [1e6] * 5
    assert blocked.outage == "drop"


def test_a_depth_in_db_is_one_of_the_rate():
    assert remaining_of(0) == 1
    assert remaining_of(10) == pytest.approx(0.1)


@given(patterns(), patterns())
@some
def test_an_uplink_is_what_its_own_pattern_would_have_played(pattern, other):
    joined = algebra.join_uplink(pattern, other, "hold")
    assert_usable(joined, "join-uplink")
    assert joined.duration_s == pattern.duration_s
    for time_s in (np.arange(0, round(pattern.duration_s * 1e3), 7) + 0.5) / 1e3:
        step = np.searchsorted(joined.time_s, time_s, side="right") - 1
        down = np.searchsorted(pattern.time_s, time_s, side="right") - 1
        within_s = time_s % other.duration_s if other.end == "loop" else time_s
        up = np.searchsorted(other.time_s, within_s, side="right") - 1
        over = other.end == "stop" and time_s > other.duration_s
        assert joined.downlink.rate_bps[step] == pattern.downlink.rate_bps[down]
        assert joined.uplink.rate_bps[step] == (0 if over else other.uplink.rate_bps[up])
        assert joined.uplink.loss[step] == other.uplink.loss[up]


def test_effects_on_packets_come_with_their_direction():
    down, up = PacketEvent("downlink", 1, "lose"), PacketEvent("uplink", 2, "lose")
    one, other = make_pattern([1e6], packets=(down, up)), make_pattern([1e6], packets=(down, up))
    assert algebra.join_uplink(one, other).packets == (down, up)
    assert algebra.join_uplink(replace(one, packets=(up,)), replace(other, packets=(down,))).packets == ()


@given(patterns(), st.floats(0, 1), st.floats(0, 1))
@some
def test_losses_combine_as_independent_ones(pattern, first, second):
    lossy = algebra.loss(algebra.loss(pattern, first), second, "uplink")
    survives = 1 - pattern.uplink.loss
    np.testing.assert_allclose(1 - lossy.uplink.loss, survives * (1 - first) * (1 - second), atol=1e-12)
    np.testing.assert_allclose(1 - lossy.downlink.loss, (1 - pattern.downlink.loss) * (1 - first), atol=1e-12)
    assert np.array_equal(algebra.loss(pattern, 0.0).downlink.loss, pattern.downlink.loss)
    assert_usable(lossy, "loss", "loss")


def test_loss_adds_to_both_states_of_a_burst_and_leaves_no_state_where_none_is():
    bursts = make_pattern([1e6], effects={"gilbert_p": 0.1, "gilbert_r": 0.5, "loss_bad": 0.5})
    assert algebra.loss(bursts, 0.5).downlink.loss_bad.tolist() == [0.75]
    assert algebra.loss(make_pattern([1e6]), 0.5).downlink.loss_bad.tolist() == [0]


@given(patterns(), st.floats(0, 1))
@some
def test_a_delay_is_added(pattern, delay_s):
    later = algebra.delay(pattern, delay_s, "downlink")
    np.testing.assert_array_equal(later.downlink.delay_s, pattern.downlink.delay_s + delay_s)
    assert later.uplink is pattern.uplink
    assert_usable(later, "delay")


def test_the_record_of_a_long_chain_can_be_read_again():
    pattern = replace(make_pattern([1e6, 2e6]), meta={"rat": "lte", "operations": "by hand"})
    for _ in range(100):
        pattern = algebra.concat([algebra.shift(pattern, 0.1), pattern])
        pattern = algebra.cut(pattern, to_s=1)
    again = native.loads(native.dumps(pattern), "p.csv")
    assert again.meta["operations"][0] == "by hand"
    assert len(again.meta["operations"]) == 301
    many = algebra.concat([make_pattern([1e6])] * 500)
    assert len(native.loads(native.dumps(many), "p.csv").meta["operations"][0]["sha256"]) == 500
    assert json.dumps(dict(again.meta))


BLOCKED, OPEN = make_pattern([0.0, 1e6]), make_pattern([1e6])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: algebra.cut(OPEN, 1), "from: is 1 s; must be from 0 to 0.499999 s"),
        (lambda: algebra.cut(OPEN, 0, 9), "to: is 9 s; must be from 1e-06 to 0.5 s"),
        (lambda: algebra.cut(OPEN, math.nan), "from: is nan s; must be from 0 to 0.499999 s"),
        (lambda: algebra.shift(OPEN, math.inf), "by: is inf s; must be from -2592000 to 2592000 s"),
        (lambda: algebra.repeat(BLOCKED, 600_000), "pattern: would have 1200000 steps; must have at most 1000000"),
        (lambda: algebra.repeat(OPEN, 0), "times: is 0; must be from 1 to 1000000"),
        (lambda: algebra.slow(OPEN, 1e8), "pattern: would last 50000000 s; must last at most 2592000 s"),
        (lambda: algebra.slow(OPEN, 1e-6), "factor: is 1e-06; a step would be shorter than 1e-06 s"),
        (lambda: algebra.scale(OPEN), "scale: needs one of a factor, a mean and a peak"),
        (lambda: algebra.scale(OPEN, 0.0), "factor: is 0; must be a number above 0"),
        (
            lambda: algebra.scale(OPEN, 1e300),
            "the highest rate: would be 1e+306 bit/s; must be at most 1e+12 bit/s",
        ),
        (
            lambda: algebra.scale(make_pattern([0.0]), mean_bps=1e6),
            "pattern: has a mean rate in the downlink that is 0, which no factor changes",
        ),
        (
            lambda: algebra.scale(make_pattern([math.inf]), peak_bps=1e6, direction="uplink"),
            "pattern: has a peak rate in the uplink that is unlimited; clip it first",
        ),
        (lambda: algebra.clip(OPEN, 2.0, 1.0), "most: is 1 bit/s; must be at least 2"),
        (lambda: algebra.concat([]), "concat: has no patterns; at least one is needed"),
        (
            lambda: algebra.concat([OPEN, replace(OPEN, packets=(PacketEvent("uplink", 1, "lose"),))]),
            "pattern 2: has effects on single packets, which are counted from its start",
        ),
        (
            lambda: algebra.concat([BLOCKED, replace(BLOCKED, outage="drop")]),
            "outage: is hold in one pattern and drop in another; say which the result has",
        ),
        (lambda: algebra.resample(OPEN, 1e-7), "step: is 1e-07 s; must be from 1e-06 to 2592000 s"),
        (lambda: algebra.blockage(OPEN, Blockage(1, 1)), "start: is 1 s; the pattern lasts 0.5 s"),
        (lambda: Blockage(0, 1, ramp_s=0.6), "ramp: is 0.6 s; must be from 0 to 0.5 s"),
        (lambda: Blockage(0, 1, ramp_s=1e-5), "ramp: is 1e-05 s; must be 0 or at least 2e-05 s"),
        (lambda: Blockage(0, 1, every_s=0.5), "every: is 0.5 s; must be from 1 to 2592000 s"),
        (lambda: Blockage(0, 1, 1.5), "remaining: is 1.5; must be from 0 to 1"),
        (
            lambda: algebra.blockage(make_pattern([math.inf]), Blockage(0, 1, 0.5)),
            "pattern: has an unlimited rate where it is blocked, which has no share; clip it first",
        ),
        (lambda: algebra.delay(OPEN, -1), "delay: is -1; must be from 0 to 3600"),
        (lambda: algebra.loss(OPEN, math.nan), "loss: is nan; must be from 0 to 1"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message


def test_patterns_without_outages_agree_about_them():
    assert algebra.concat([replace(OPEN, outage="drop"), BLOCKED]).outage == "hold"
    assert algebra.concat([BLOCKED, replace(BLOCKED, outage="drop", end="stop")], "drop").end == "stop"
