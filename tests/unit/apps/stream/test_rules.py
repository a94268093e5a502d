import math

import pytest

from mmwemu.apps.stream.headless.bola import Bola
from mmwemu.apps.stream.headless.rules import BUFFER_S, BUFFER_TOP_S, EMPTY_S, Loading, Rules, Situation
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


# Of the paper: the utility of a rate is its logarithm, here from 1 on; with five qualities the lowest is worth loading
# up to 10 s, the highest up to 20 s. dash.js has one Vp more.
VP_S = 10 / math.log(7.94 / 0.73)


def steady(buffer_s=19.0, safe_bps=9e6, quality=4):
    """Return BOLA with one segment of 2 s loaded in a second, asked at 1 s for the second time."""
    bola = Bola(RATES, 18.0)
    bola.choose(0.0, buffer_s, safe_bps)
    bola.loaded(7, 2.0, quality, 0.0, 1.0, buffer_s - 2)
    bola.choose(1.0, buffer_s, safe_bps)
    return bola


def test_bola_waits_until_the_buffer_is_down_to_what_a_quality_is_worth():
    quality, wait_s = steady(14.0, 2e6, 2).choose(1.0, 26.0, 2e6)
    assert (quality, wait_s) == (2, pytest.approx(26 - 10 - VP_S * (1 + math.log(1.82 / 0.73))))
    assert steady(14.0, 2e6, 2).choose(1.0, 18.0, 2e6) == (2, 0.0)


def test_bola_never_waits_with_the_highest_quality():
    assert steady().choose(1.0, 29.0, 9e6) == (4, 0.0)


def test_bola_is_steady_once_a_whole_segment_is_buffered():
    bola = Bola(RATES, 18.0)
    bola.choose(0.0, 1.0, 9e6)
    bola.loaded(0, 2.0, 4, 0.0, 0.1, 0.0)
    bola.choose(0.1, 1.9, 9e6)
    # As long as less is buffered, the throughput chooses.
    assert bola.choose(0.2, 2.0, 1e6)[0] == 0
    # And from then on the buffer.
    bola.loaded(1, 2.0, 0, 0.2, 0.3, 12.0)
    assert bola.choose(0.4, 16.0, 9e6)[0] > 0


def test_bola_has_no_opinion_without_an_estimate():
    assert Bola(RATES, 18.0).choose(0.0, 20.0, math.nan) == (None, 0.0)


def test_idle_time_counts_as_buffered():
    bola = steady()
    assert bola._placeholder_s == 0
    bola.choose(1.7, 19.0, 9e6)
    assert bola._placeholder_s == pytest.approx(0.7)
    bola.choose(2.0, 19.0, 9e6)
    assert bola._placeholder_s == pytest.approx(1.0)
    bola.loaded(8, 2.0, 4, 2.0, 5.0, 16.0)
    # The time of the download does not count, and each download takes a hundredth.
    bola.choose(5.5, 18.0, 9e6)
    assert bola._placeholder_s == pytest.approx(0.99 + 0.5)


def test_a_wait_uses_up_what_only_counts_as_buffered():
    bola = steady(14.0, 2e6, 2)
    worth_s = 10 + VP_S * (1 + math.log(1.82 / 0.73))
    # 3 s idle: it would load up to 3 s less.
    assert bola.choose(4.0, worth_s - 1, 2e6) == (2, 0.0)
    assert bola._placeholder_s == pytest.approx(1.0)
    assert bola.choose(4.0, worth_s + 0.5, 2e6) == (2, pytest.approx(0.5))
    assert bola._placeholder_s == 0


def test_a_replaced_segment_counts_as_buffered_on():
    bola = steady()
    bola.loaded(7, 2.0, 4, 1.0, 1.5, 13.0)
    assert bola._placeholder_s == 2.0
    bola.loaded(8, 2.0, 4, 1.5, 2.0, 13.0)
    assert bola._placeholder_s == pytest.approx(0.99 * 2)


def test_what_counts_as_buffered_ends_where_a_quality_is_worth_no_more():
    bola = steady()
    bola.choose(5.0, 19.0, 9e6)
    assert bola._placeholder_s == pytest.approx(4.0)
    # At the request, 3 s before, there were 3 s more.
    bola.loaded(8, 2.0, 4, 5.0, 8.0, 20.0)
    assert bola._placeholder_s == pytest.approx(20 + VP_S - 23)


def test_a_request_given_up_leaves_what_the_lower_quality_needs():
    for quality, needs_s in ((0, 10.0), *((quality, Bola(RATES, 18.0)._least_s(quality)) for quality in (1, 2))):
        bola = steady()
        bola.choose(9.0, 13.0, 9e6)
        bola.abandoned(quality, 8.0)
        assert bola._placeholder_s == pytest.approx(needs_s - 8)
        bola.abandoned(quality, 12.0)
        assert bola._placeholder_s == pytest.approx(max(0.0, needs_s - 12))


def test_an_empty_buffer_has_nothing_that_counts():
    bola = steady()
    bola.choose(9.0, 13.0, 9e6)
    bola.emptied()
    assert bola._placeholder_s == 0
    young = Bola(RATES, 18.0)
    young.choose(0.0, 1.0, 9e6)
    before_s = young._placeholder_s
    young.emptied()
    assert young._placeholder_s == before_s > 0


def test_bola_begins_with_as_much_as_makes_it_choose_the_same():
    for quality, safe_bps in enumerate(RATES):
        bola = Bola(RATES, 18.0)
        assert bola.choose(0.0, 1.0, safe_bps) == (quality, 0.0)
        assert bola._placeholder_s == pytest.approx(max(0.0, bola._least_s(quality) - 1.0))
        if quality:
            below_s = bola._least_s(quality) - 0.01 - VP_S
            assert bola._best(below_s) < quality <= bola._best(below_s + 0.02)


def test_a_segment_before_the_first_choice_is_not_counted():
    bola = Bola(RATES, 18.0)
    bola.loaded(0, 2.0, 4, 0.0, 1.0, 0.0)
    assert bola._last_segment_s is None


def test_throughput_halves_in_3_s_and_in_8_s_of_weighted_time():
    throughput = Throughput()
    throughput.add(12_500_000, 10.0)  # 10 Mbit/s, weighs 15 s
    throughput.add(125_000, 2.0)  # 0.5 Mbit/s, weighs 3 s
    means = []
    for half_life_s in (3, 8):
        old, new = 0.5 ** (15 / half_life_s), 0.5 ** (3 / half_life_s)
        means.append(((1 - old) * 10e6 * new + (1 - new) * 0.5e6) / (1 - old * new))
    assert throughput.average_bps() == pytest.approx(means[0], rel=1e-12) == pytest.approx(min(means))


def test_a_segment_that_came_at_once_says_nothing():
    throughput = Throughput()
    throughput.add(1_000_000, 0.0)
    assert math.isnan(throughput.average_bps())
    throughput.add(1_000_000, 0.001)
    assert throughput.average_bps() == pytest.approx(8e9)


STEPS = [(0.1 * i, 10_000 * (i + 1)) for i in range(7)]  # 0.8 Mbit/s for 0.6 s


@pytest.mark.parametrize(
    ("steps", "size_bytes", "given_up"),
    [
        (STEPS[:6], 2_000_000, False),  # no more than half a second
        ([(1.2 * t, n) for t, n in STEPS[:5]] + [(0.61, 60_000)], 2_000_000, True),  # six steps
        ([(1.2 * t, n) for t, n in STEPS[:4]] + [(0.61, 60_000)], 2_000_000, False),  # five
        (STEPS, 355_000, False),  # 3.55 s at 0.8 Mbit/s, of 1.8 times 2 s
        (STEPS, 365_000, True),
        ([(t, 10_000) for t, _ in STEPS], 2_000_000, False),  # nothing came after the first step
        ([(2.0 * i, 10 + i // 6) for i in range(7)], 2_000_000, True),  # a byte in 12 s
    ],
)
def test_a_request_is_given_up_after_half_a_second_and_six_steps_if_it_takes_1_8_segments(steps, size_bytes, given_up):
    at = Situation(steps[-1][0], 5.0, 4)
    assert rules().abandon(3, Loading(size_bytes, tuple(steps)), at) == (0 if given_up else None)


def test_a_request_is_given_up_for_what_its_rate_bears_if_that_saves_bytes():
    # 2 Mbit/s from the first step on, whatever came with that.
    steps = tuple((0.1 * i, 500_000 + 25_000 * i) for i in range(7))
    assert rules().abandon(3, Loading(2_000_000, steps), Situation(0.6, 5.0, 4)) == 2
    # The third quality of a segment of 7.94 MB has 1.82 MB: no more than that may be left.
    for left, quality in ((1_820_001, 2), (1_820_000, None), (1_819_999, None)):
        steps = tuple((0.1 * i, 7_940_000 - left - 25_000 * (6 - i)) for i in range(7))
        assert rules().abandon(3, Loading(7_940_000, steps), Situation(0.6, 5.0, 4)) == quality


@pytest.mark.parametrize(("at", "quality"), [(Situation(0.6, 18.0, 4), 0), (Situation(0.6, 5.0, 1), 0)])
def test_requests_are_given_up_with_18_s_buffered_and_from_the_second_quality_on(at, quality):
    assert rules().abandon(3, Loading(2_000_000, tuple(STEPS)), at) == quality


def test_nothing_better_is_loaded_nor_replaced_until_10_s_after_a_request_was_given_up():
    made = rules()
    assert made.may_replace(0.0)
    made.abandon(3, Loading(2_000_000, tuple(STEPS)), Situation(0.6, 5.0, 4))
    assert [made.may_replace(now_s) for now_s in (10.5, 10.6)] == [False, True]
    assert [made.choose(Situation(now_s, 5.0, 0))[0] for now_s in (10.5, 10.6)] == [0, 4]


def test_an_empty_buffer_is_one_of_at_most_0_3_s():
    # Without an opinion of any rule the quality stays.
    assert [rules().choose(Situation(1.0, buffer_s, 1))[0] for buffer_s in (0.3, 0.31)] == [1, 4]
    assert [appended(rules(), 2).choose(Situation(1.0, buffer_s, 1))[0] for buffer_s in (0.3, 0.31)] == [0, 4]
    assert appended(rules(), 1).choose(Situation(1.0, 0.3, 1))[0] == 1


def test_a_quality_is_left_alone_after_a_drop_in_eight_choices_of_it():
    made = rules()
    fast, slow = Situation(1.0, 10.0, 4), Situation(1.0, 0.5, 4)
    appended(made, 2)
    made.throughput = Throughput()
    made.throughput.add(1_000_000, 1.0)  # 8 Mbit/s: 90 % of it are enough for quality 3
    assert [made.choose(fast)[0] for _ in range(7)] == [3] * 7
    assert made._by_history() is None
    made.choose(slow)
    # Eight drops in eight choices of quality 4.
    assert made._by_history() == 3
    stays = rules(throughput_bps=100e6)
    assert [stays.choose(fast)[0] for _ in range(8)] == [4] * 8
    assert stays._by_history() is None


def test_seventy_five_in_a_thousand_drops_are_too_many():
    made = rules()
    # One drop in eight is above 0.075 of seven; none is not.
    made._history.extend([(2, False)] * 8)
    assert made._by_history() is None
    made._history.append((2, True))
    assert made._by_history() == 1
    made._history.clear()
    made._history.extend([(0, True)] * 8)
    assert made._by_history() == 0


def test_bola_is_used_from_12_s_to_6_s():
    made = rules()
    found = []
    for buffer_s in (12.0, 6.0, 5.99, 11.99):
        made.watch(buffer_s)
        found.append(made._use_bola)
    assert found == [True, True, False, False]
    for abr, uses in (("bola", True), ("throughput", False)):
        fixed = rules(abr)
        for buffer_s in (0.0, 20.0):
            fixed.watch(buffer_s)
            assert fixed._use_bola is uses


def test_steps_that_come_at_once_count_as_a_millisecond():
    # 1 kB in it is 8 Mbit/s, so 3 MB would take 3 s of the 3.6 s allowed, and 4 MB 4 s.
    steps = tuple((0.0, 200 * i) for i in range(6))
    taken = [
        rules().abandon(3, Loading(size_bytes, steps), Situation(0.6, 5.0, 4)) for size_bytes in (10**6 * 3, 10**6 * 4)
    ]
    assert taken == [None, None]
    slower = tuple((0.0, 100 * i) for i in range(6))
    found = [
        rules().abandon(3, Loading(size_bytes, slower), Situation(0.6, 5.0, 4)) for size_bytes in (1_700_000, 1_900_000)
    ]
    assert found == [None, 2]


def test_a_throughput_that_rises_is_the_slow_means():
    throughput = Throughput()
    throughput.add(125_000, 10.0)  # 0.1 Mbit/s, weighs 15 s
    throughput.add(2_500_000, 2.0)  # 10 Mbit/s, weighs 3 s
    old, new = 0.5 ** (15 / 8), 0.5 ** (3 / 8)
    expected_bps = ((1 - old) * 0.1e6 * new + (1 - new) * 10e6) / (1 - old * new)
    assert throughput.average_bps() == pytest.approx(expected_bps, rel=1e-12)
    assert throughput.safe_bps() == pytest.approx(0.9 * throughput.average_bps())


def test_buffers_are_those_of_dash_js():
    assert (BUFFER_S, BUFFER_TOP_S, EMPTY_S) == (18.0, 30.0, 0.3)


def test_a_lower_quality_may_be_had_at_once_after_a_request_was_given_up():
    made = appended(rules(), 2)
    made.abandon(3, Loading(2_000_000, tuple(STEPS)), Situation(0.6, 5.0, 4))
    assert made.choose(Situation(5.0, 0.2, 3))[0] == 0
