import math

import pytest

from mmwemu.apps.stream.headless.bola import Bola
from mmwemu.apps.stream.headless.rules import Loading, Rules, Situation
from mmwemu.apps.stream.headless.throughput import Throughput, best_within

RATES = (730_000, 1_150_000, 1_820_000, 4_140_000, 7_940_000)


def rules(abr="dynamic", throughput_bps=100e6):
    made = Rules(RATES, 2.0, abr)
    made.throughput.add(round(throughput_bps / 8), 1.0)
    return made


def appended(made, count, buffer_s=2.0):
    for number in range(count):
        made.loaded(number, 0, 0.0, Situation(1.0, buffer_s, 0))
    return made


def test_throughput_of_equal_segments_is_theirs():
    throughput = Throughput()
    assert math.isnan(throughput.safe_bps())
    for _ in range(5):
        throughput.add(1_000_000, 0.8)
    assert throughput.average_bps() == pytest.approx(10e6)
    assert throughput.safe_bps() == pytest.approx(9e6)


def test_throughput_falls_fast_and_rises_slowly():
    throughput = Throughput()
    throughput.add(12_500_000, 10.0)
    throughput.add(125_000, 2.0)
    fallen = throughput.average_bps()
    # After 2 s, weighing 3: half of the new in the fast mean of half-life 3.
    assert fallen < 0.6 * 10e6
    throughput.add(2_500_000, 2.0)
    assert throughput.average_bps() < 10e6


def test_the_highest_quality_within_a_rate():
    assert [best_within(RATES, rate) for rate in (0, 7e5, 2e6, 7_940_000, 1e9)] == [0, 0, 2, 4, 4]


def test_the_first_quality_is_within_1_mbit_s():
    assert Rules(RATES, 2.0, "dynamic").initial() == 0
    assert Rules((300_000, 900_000, 1_100_000), 2.0, "dynamic").initial() == 1


def test_throughput_chooses_90_per_cent_of_the_estimate():
    assert rules(throughput_bps=4.7e6).choose(Situation(1.0, 10.0, 0))[0] == 3
    assert rules(throughput_bps=4.5e6).choose(Situation(1.0, 10.0, 0))[0] == 2


def test_a_little_buffer_limits_the_quality():
    # 0.7 * 5 Mbit/s * 1 s / 2 s = 1.75 Mbit/s, once two segments are there.
    at = Situation(1.0, 1.0, 3)
    assert rules(throughput_bps=5e6).choose(at)[0] == 3
    assert appended(rules(throughput_bps=5e6), 2).choose(at)[0] == 1
    assert appended(rules(throughput_bps=5e6), 2).choose(Situation(1.0, 0.2, 3))[0] == 0


def test_dynamic_goes_to_bola_at_12_s_and_back_below_6_s():
    made = appended(rules(throughput_bps=5e6), 2)
    bola = []
    for buffer_s in (11.9, 12.0, 6.1, 5.9, 11.0):
        made.watch(buffer_s)
        bola.append(made._use_bola)
    assert bola == [False, True, True, False, False]


def test_bola_wants_more_the_more_is_buffered_and_the_highest_at_20_s():
    bola = Bola(RATES, 18.0)
    wanted = [bola._best(0.1 * i) for i in range(250)]
    assert (wanted[0], wanted[200]) == (0, 4)
    assert wanted == sorted(wanted)
    # dash.js begins with what the throughput bears, and counts so much as buffered that BOLA would choose the same.
    assert all(bola._best(bola._least_s(quality)) >= quality for quality in range(5))


def test_bola_keeps_the_quality_that_is_buffered_for_and_does_not_climb_above_the_throughput():
    bola = Bola(RATES, 18.0)
    assert bola.choose(0.0, 13.0, 9e6)[0] == 4
    bola.loaded(7, 2.0, 4, 0.0, 0.2, 13.0)
    assert bola.choose(0.3, 15.0, 9e6)[0] == 4
    bola.loaded(8, 2.0, 4, 0.3, 0.5, 15.0)
    # The throughput fell, but the buffer is there: BOLA stays.
    assert bola.choose(0.6, 17.0, 1e6)[0] == 4
    low = Bola(RATES, 18.0)
    low.choose(0.0, 13.0, 2e6)
    low.loaded(7, 2.0, 2, 0.0, 1.0, 13.0)
    # The buffer grows, the throughput does not.
    assert low.choose(1.0, 19.0, 2e6)[0] == 2


def test_bola_waits_when_more_of_a_low_quality_would_come_than_it_is_worth():
    bola = Bola(RATES, 18.0)
    bola.choose(0.0, 12.0, 2e6)
    bola.loaded(6, 2.0, 2, 0.0, 0.1, 12.0)
    bola.choose(0.2, 14.0, 2e6)
    quality, wait_s = bola.choose(0.3, 26.0, 2e6)
    assert quality == 2
    assert wait_s > 0


def test_one_quality_leaves_no_choice():
    assert Bola((1_000_000,), 18.0).choose(0.0, 20.0, 1e6) == (None, 0.0)


def test_a_quality_that_was_left_too_often_is_not_taken():
    made = rules(throughput_bps=100e6)
    for _ in range(7):
        assert made.choose(Situation(1.0, 10.0, 4))[0] == 4
    made.throughput.add(300_000, 20.0)
    assert made.choose(Situation(2.0, 10.0, 4))[0] < 4
    made.throughput.add(10**9, 60.0)
    # One drop in eight: the highest is left alone.
    assert made.choose(Situation(3.0, 10.0, 3))[0] == 3


@pytest.mark.parametrize(
    ("steps", "given_up"),
    [
        # 100 kB a second of 2 MB: 20 s for 2 s of film.
        ([(0.1 * i, 10_000 * (i + 1)) for i in range(7)], True),
        # Too early to say.
        ([(0.05 * i, 5_000 * (i + 1)) for i in range(6)], False),
        # 1 MB a second: 2 s, which is less than 1.8 times 2 s.
        ([(0.1 * i, 100_000 * (i + 1)) for i in range(7)], False),
    ],
)
def test_a_request_that_takes_too_long_is_given_up(steps, given_up):
    made = rules()
    at = Situation(steps[-1][0], 5.0, 4)
    assert made.abandon(3, Loading(2_000_000, tuple(steps)), at) == (0 if given_up else None)
    if given_up:
        assert made.abandon(3, Loading(2_000_000, tuple(steps)), at) is None
        # For 10 s nothing better is loaded.
        assert made.choose(Situation(at.now_s + 9, 5.0, 0))[0] == 0
        assert made.choose(Situation(at.now_s + 11, 5.0, 0))[0] == 4


@pytest.mark.parametrize("at", [Situation(0.6, 18.5, 4), Situation(0.6, 5.0, 0)])
def test_nothing_is_given_up_with_enough_buffered_or_in_the_lowest_quality(at):
    steps = tuple((0.1 * i, 10_000 * (i + 1)) for i in range(7))
    assert rules().abandon(3, Loading(2_000_000, steps), at) is None
