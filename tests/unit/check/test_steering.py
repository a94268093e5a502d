"""What a check runs, with a clock of its own and runs that are made up."""

import pytest

from mmwemu.check.judging import candidates
from mmwemu.check.samples import groups_of
from mmwemu.check.steering import Steering
from mmwemu.check.thresholds import parse
from mmwemu.check.turns import most_repetitions, turns
from mmwemu.core.errors import InputError
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.report.sequential import LOOKS
from tests.checks import experiment, pairs_of, run_of


@pytest.fixture
def patterns(tmp_path):
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file in files:
        native.save(constant(1e6, 10), file)
    return files


class Clock:
    now_s = 0.0

    def __call__(self):
        return self.now_s


def steer(planned, texts, budget_s, measure, took_s=1.0, **options):
    """Run the turns that are wanted; give the steering and those turns."""
    clock, done = Clock(), []
    groups = [
        group for turn in planned if turn.replay.repetition == 1 and turn.version == "head" for group in groups_of(turn)
    ]
    pairs = candidates([parse(text, "") for text in texts], list(dict.fromkeys(groups)))
    steering = Steering(planned, pairs, budget_s, clock=clock, **options)
    for turn in planned:
        if steering.wants(turn.replay):
            clock.now_s += took_s
            done.append(turn)
            found = measure(turn)
            changes = found if isinstance(found, dict) else {"metrics": {"took_s": found}}
            steering.note(turn.replay, [run_of(turn, **changes)])
    return steering, done


def test_base_and_head_take_turns_in_a_drawn_order_with_equal_seeds_and_starts(patterns):
    planned = pairs_of(patterns, 40)
    assert [turn.replay.number for turn in planned] == list(range(1, 161))
    assert [turn.replay.first_run for turn in planned] == list(range(1, 161))
    firsts = set()
    for one, other in zip(planned[::2], planned[1::2], strict=True):
        assert one.place == other.place
        assert {one.version, other.version} == {"head", "base"}
        assert one.replay.repetition == other.replay.repetition
        assert one.replay.settings == other.replay.settings
        firsts.add((one.version, one.place.pattern))
    assert len(firsts) == 4


def test_random_starts_are_one_place_and_given_ones_several(patterns):
    drawn = turns([experiment(patterns[:1], 3, start_between_s=(0.0, 5.0))])
    assert len({turn.place for turn in drawn}) == 1
    assert len({turn.replay.settings.start_at_s for turn in drawn}) == 3
    given = turns([experiment(patterns, 3, starts_at_s=(0.0, 5.0), vary={"congestion_control": ("cubic", "reno")})])
    labels = {turn.place.label for turn in given}
    assert len(labels) == len({turn.place for turn in given}) == 8
    assert "command, b, from 5 s, congestion_control reno" in labels


def test_it_ends_when_all_is_decided(patterns):
    steering, done = steer(
        pairs_of(patterns), ["took_s <= 1.2 of baseline"], 600, lambda turn: 1 + turn.replay.number % 3 / 100
    )
    assert {line.verdict for line in steering.lines()} == {"pass"}
    assert len(done) <= 40
    assert steering.ended == "all is decided"


def test_only_undecided_places_go_on(patterns):
    def measure(turn):
        spread = 0.3 if turn.place.pattern == "a" else 0.01
        return 1 + spread * (turn.replay.repetition % 5 - 2) * (1 if turn.version == "head" else -1)

    _, done = steer(pairs_of(patterns), ["took_s <= 1.2 of baseline"], 600, measure)
    last = {name: max(turn.replay.repetition for turn in done if turn.place.pattern == name) for name in "ab"}
    assert last["b"] == 5 < last["a"]


@pytest.mark.parametrize("budget_s", [25, 60, 137])
def test_the_budget_is_kept_and_no_time_is_spent_where_no_decision_can_fall(patterns, budget_s):
    steering, done = steer(
        pairs_of(patterns),
        ["took_s <= 1.0 of baseline"],
        budget_s,
        lambda turn: 1 + turn.replay.number * 37 % 97 / 97,
    )
    assert steering.elapsed_s <= budget_s
    counts = {sum(turn.place.pattern == name for turn in done) / 2 for name in "ab"}
    assert counts <= set(LOOKS)
    assert "after the budget" in steering.ended


@pytest.mark.parametrize("budget_s", [0.1, 1.0, 1.5])
def test_a_budget_too_short_for_two_runs_is_told(patterns, budget_s):
    steering, done = steer(pairs_of(patterns), ["took_s <= 1.0 of baseline"], budget_s, lambda _: 1.0)
    assert len(done) == 1
    assert "too short for two runs" in steering.ended
    assert {line.verdict for line in steering.lines()} == {"inconclusive"}


def test_the_first_failed_run_ends_it(patterns):
    failing = {"status": "failed", "error": "exit code 7"}
    steering, done = steer(
        pairs_of(patterns), ["took_s <= 1"], 600, lambda turn: failing if turn.version == "head" else 1.0
    )
    assert len(done) <= 2
    assert list(steering.samples.failed) == ["head"]
    assert steering.ended.endswith("exit code 7")


def test_runs_over_an_invalid_link_are_replaced_by_later_ones(patterns):
    def measure(turn):
        return {"valid": turn.replay.repetition % 2 == 0, "metrics": {"took_s": 1 + turn.replay.repetition / 1000}}

    steering, _ = steer(pairs_of(patterns[:1]), ["took_s <= 2"], 600, measure)
    assert [(line.verdict, line.n) for line in steering.lines()] == [("pass", 5)]
    assert steering.samples.counts["invalid"] == steering.samples.counts["runs"] / 2


def test_an_unknown_metric_ends_it_after_the_first_repetition(patterns):
    with pytest.raises(InputError, match="speed_s is no metric of any run"):
        steer(pairs_of(patterns), ["speed_s <= 1"], 600, lambda _: 1.0)


def test_the_repetitions_of_the_study_are_the_most(patterns):
    steering, done = steer(
        pairs_of(patterns[:1], 6), ["took_s <= 1.0 of baseline"], 600, lambda turn: 1 + turn.replay.number % 7
    )
    assert len(done) == 10  # a seventh could not be had, so the sixth would decide nothing
    assert "all 6 repetitions" in steering.lines()[0].reason


def test_a_stored_baseline_limits_the_pairs(patterns):
    planned = turns([experiment(patterns[:1])])
    (one,) = groups_of(planned[0])
    baseline = {one: {i: {"took_s": 1.0 + i % 3} for i in range(1, 9)}}
    steering, done = steer(
        planned, ["took_s <= 1.0 of baseline"], 600, lambda turn: 1 + turn.replay.number % 5, baseline=baseline
    )
    assert len(done) == 7
    assert "the baseline has no more repetitions" in steering.lines()[0].reason


def test_as_many_repetitions_as_can_fit_are_planned(patterns):
    assert most_repetitions([experiment(patterns)], 60.0, 0.5) == 60
    assert most_repetitions([experiment(patterns)], 0.1, 0.5) == 5
    assert most_repetitions([experiment(patterns)], 1e9, 0.5) == 896


def test_a_decision_stands_whatever_later_runs_at_the_place_say(patterns):
    def measure(turn):
        late = turn.replay.repetition > 5
        return {
            "metrics": {
                "took_s": 9.0 if late else 1 + turn.replay.number / 1000,
                "open": turn.replay.number * 37 % 97 + 1,
            }
        }

    steering, done = steer(pairs_of(patterns[:1]), ["took_s <= 2", "open <= 0.4 of baseline"], 60, measure)
    assert len(done) > 10
    first, _ = steering.lines()
    assert (first.verdict, first.n) == ("pass", 5)
