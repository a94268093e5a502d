import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.core.files import sha256
from mmwemu.link.replay import decode, encode, resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern import library
from mmwemu.pattern.formats import native
from mmwemu.pattern.measures import mean_rate_bps, outage_s
from mmwemu.pattern.synthesis import blockages, lengths, markov, onoff
from tests.patterns import make_pattern

some = settings(max_examples=40, deadline=None)


def on_off(seed=1, duration_s=30.0, on="exponential:2", off="lognormal:0.2,0.8"):
    return onoff.generate(onoff.OnOff(5e8, lengths.parse(on), lengths.parse(off), duration_s, seed))


def drive(seed=1, duration_s=60.0, *names):
    sources = [library.load(name) for name in names or ("s2-crossings.mmwave", "s4-outage.mmwave")]
    return markov.generate(markov.fit(sources), duration_s, seed)


def blocked(seed=1, **changes):
    drawn = {"blocked": lengths.parse("exponential:1"), "gap": lengths.parse("exponential:5")}
    options = {"obstacle": "iron-plate"} | drawn
    return blockages.generate(blockages.Obstacles(seed=seed, **(options | changes)))


@pytest.mark.parametrize("make", [on_off, drive, blocked])
def test_the_same_seed_gives_the_same_bytes_and_another_does_not(make):
    files = [native.dumps(make(seed)) for seed in (1, 1, *range(2, 31))]
    assert files[0] == files[1]
    bodies = {text[text.index("\ntime_s") :] for text in files}
    assert len(bodies) == 30
    for text in files:
        decode(encode(resolve(LinkSettings(native.loads(text, "p.csv")))))


@pytest.mark.parametrize(
    ("text", "mean_s"),
    [
        ("0.5", 0.5),
        ("fixed:0.5", 0.5),
        ("uniform:0.2-0.6", 0.4),
        ("exponential:0.5", 0.5),
        ("lognormal:0.2,0.8", 0.2 * math.exp(0.8**2 / 2)),
    ],
)
def test_drawn_lengths_have_the_mean_of_their_distribution(text, mean_s):
    drawn = lengths.parse(text)
    assert str(drawn).endswith(text)
    draws_s = drawn.draw(40_000, np.random.default_rng(1)) / 1e9
    assert draws_s.mean() == pytest.approx(mean_s, rel=5 * draws_s.std() / mean_s / 200 + 1e-9)  # 5 standard errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "length: is ''; write fixed:S, uniform:LOW-HIGH, exponential:MEAN or lognormal:MEDIAN,SIGMA, in s"),
        ("weibull:1", "length: is 'weibull:1'; write fixed:S"),
        ("exponential:nan", "length: is 'exponential:nan'; write"),
        ("uniform:2-1", "uniform:2-1: goes down; write the lower length first"),
        ("fixed:0", "fixed:0: has lengths that are not from 1e-06 to 2592000 s"),
        ("lognormal:1,11", "lognormal:1,11: has a sigma above 10"),
    ],
)
def test_lengths_that_make_no_sense_are_refused(text, message):
    with pytest.raises(InputError) as caught:
        lengths.parse(text)
    assert str(caught.value).startswith(message)


def test_on_and_off_take_their_share_in_the_long_run():
    pattern = on_off(duration_s=20_000.0, on="exponential:2", off="uniform:0.5-1.5")
    assert outage_s(pattern, pattern.downlink.rate_bps) / pattern.duration_s == pytest.approx(1 / 3, abs=0.01)
    assert set(pattern.downlink.rate_bps.tolist()) == {0.0, 5e8}
    assert on_off(on="1", off="0.25", duration_s=2.5).time_s.tolist() == [0, 1, 1.25, 2.25]


def test_too_many_lengths_are_refused_before_they_take_memory():
    with pytest.raises(InputError, match="lengths: give more than 1000000 steps; draw longer ones or a shorter"):
        on_off(on="fixed:0.000001", off="fixed:0.000001", duration_s=2_592_000.0)


def test_the_iron_plate_is_as_chen_measured():
    pattern = blockages.generate(blockages.Obstacles("iron-plate", lengths.parse("1")))
    assert pattern.time_s.tolist() == [0, 7, 8, 15, 16]
    assert pattern.downlink.rate_bps.tolist() == [2.5e9, 5e8, 2.5e9, 5e8, 2.5e9]
    assert pattern.meta["synthesis"]["remaining_is"] == "as measured"
    given_one = blocked(obstacle="body", gap=None, remaining=0.5, starts_s=(0.0,), blocked=lengths.parse("30"))
    assert given_one.downlink.rate_bps.tolist() == [1.25e9]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"obstacle": "body"}, "remaining: is not stated for body by Chen et al. 2020"),
        ({"gap": None, "starts_s": (1, 1.5), "blocked": lengths.parse("1")}, "starts: leave a blockage no time to end"),
        ({"gap": None, "starts_s": (20,)}, "start: is not before the end of the pattern, 20 s"),
        ({"remaining": 2.0}, "remaining: is 2; must be from 0 to 1"),
        ({"duration_s": 0.0}, "duration: is 0 s; must be from 1e-06 to 2592000 s"),
    ],
)
def test_blockages_that_make_no_sense_are_refused(changes, message):
    with pytest.raises(InputError) as caught:
        blocked(**changes)
    assert str(caught.value).startswith(message)


# Windows have a hundred times as many steps.
LONG_S = {name: 50_000.0 for name in library.shipped() if not name.endswith(".window")} | {
    "s4-outage.mmwave.window": 5_000.0
}


@pytest.mark.parametrize("name", LONG_S)
def test_a_long_drive_has_the_mean_rate_and_the_share_of_outage_of_its_source(name):
    source = library.load(name)
    pattern = drive(1, LONG_S[name], name)
    rates = [one.downlink.rate_bps for one in (source, pattern)]
    assert mean_rate_bps(pattern, rates[1]) == pytest.approx(mean_rate_bps(source, rates[0]), rel=0.05)
    shares = [outage_s(one, rate) / one.duration_s for one, rate in zip((source, pattern), rates, strict=True)]
    assert shares[1] == pytest.approx(shares[0], abs=0.02)


def test_many_short_drives_have_the_mean_rate_of_their_source_too():
    source = library.load("s4-outage.mmwave")
    chain = markov.fit([source])
    means = [mean_rate_bps(p, p.downlink.rate_bps) for p in (markov.generate(chain, 5.0, seed) for seed in range(400))]
    error = 5 * np.std(means) / math.sqrt(len(means))
    assert abs(np.mean(means) - mean_rate_bps(source, source.downlink.rate_bps)) < error


def test_states_are_quantiles_with_the_outage_apart():
    source = make_pattern([0, 1e6, 2e6, 3e6, 4e6, 0, 4e6, 1e6], step_s=1.0, delay_s=[0, 1, 2, 3, 4, 0, 4, 1])
    chain = markov.fit([source], states=2)
    assert chain.downlink.rate_bps.tolist() == pytest.approx([0, 4e6 / 3, 11e6 / 3])
    assert chain.downlink.delay_s.tolist() == pytest.approx([0, 4 / 3, 11 / 3])
    assert chain.visits.tolist() == [0, 1, 2, 0, 2, 1]
    assert (chain.sojourns_ns / 1e9).tolist() == [1, 2, 2, 1, 1, 1]
    one = markov.generate(markov.fit([make_pattern([5e6])]), 3.0)
    assert (one.time_s.tolist(), one.downlink.rate_bps.tolist()) == ([0], [5e6])


@given(
    st.lists(st.sampled_from([0.0, 1e6, 2e6, 9e6]), min_size=1, max_size=8),
    st.integers(1, 5),
    st.integers(1, 3_000_000),
    st.integers(0, 99),
)
@some
def test_a_chain_of_anything_gives_patterns_of_the_length_asked_for(rates_bps, states, duration_us, seed):
    source = make_pattern(rates_bps, step_s=0.01, loss=1.0)
    pattern = markov.generate(markov.fit([source, source], states), duration_us / 1e6, seed)
    assert pattern.duration_s == duration_us / 1e6
    assert native.dumps(native.loads(native.dumps(pattern), "p.csv")) == native.dumps(pattern)
    assert pattern.downlink.rate_bps.min() >= min(rates_bps)
    assert pattern.downlink.rate_bps.max() <= max(rates_bps)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (make_pattern([math.inf]), "pattern: downlink_rate_bps: is unlimited in a step; clip it first"),
        (
            make_pattern([1e6], effects={"jitter_s": 0.1}),
            "pattern: downlink_jitter_s: is not part of a chain, which has rate, delay and loss",
        ),
    ],
)
def test_sources_that_a_chain_cannot_tell_are_refused(source, message):
    with pytest.raises(InputError) as caught:
        markov.fit([source])
    assert str(caught.value) == message


def test_a_drive_names_its_sources():
    source = library.load("s4-outage.lte")
    pattern = markov.with_sources(markov.generate(markov.fit([source]), 10.0), [("s4-outage.lte", source)])
    digest = pattern.meta["synthesis"]["sources"][0]["sha256"]
    assert digest == sha256(library.find("s4-outage.lte"))
    assert replace(pattern, meta={}).end == source.end
