"""Experiments to come: their replays, and the order of these."""

from collections import Counter
from dataclasses import dataclass

import pytest

from mmwemu.core.errors import InputError
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment, planned_replays


@dataclass(frozen=True)
class Cases:
    """An application that only has cases."""

    cases: tuple[str, ...]
    name = "cases"


def experiment(patterns, plan=None, cases=("x",)):
    return PlannedExperiment((Part(Cases(tuple(cases))),), tuple(patterns), plan or ReplayPlan())


def replays(patterns, plan, cases):
    return planned_replays([experiment(patterns, plan, cases)])


def test_repetitions_take_turns_and_go_by_pattern_start_and_case(patterns):
    todo = replays(patterns, ReplayPlan(repetitions=2, starts_at_s=(0.0, 1.0), seed=5), ["x", "y"])
    assert [run.number for run in todo] == list(range(1, 17))
    assert [(r.pattern.name, r.settings.start_at_s, r.case[0]) for r in todo[:5]] == [
        ("a", 0.0, "x"), ("a", 0.0, "y"), ("a", 1.0, "x"), ("a", 1.0, "y"), ("b", 0.0, "x"),
    ]  # fmt: skip
    assert [run.repetition for run in todo] == [1] * 8 + [2] * 8
    assert [todo[i].settings.seed for i in (0, 7, 8)] == [5, 5, 6]


def test_variations_take_turns_with_patterns_and_cases(patterns):
    vary = {"congestion_control": ("reno", "bbr"), "queue_packets": (10, 20)}
    plan = ReplayPlan(vary=vary, queue_s=0.1)
    todo = replays(patterns[:1], plan, ["x", "y"])
    assert [(r.plan.congestion_control, r.settings.queue_packets, r.case[0]) for r in todo] == [
        ("reno", 10, "x"), ("reno", 10, "y"), ("reno", 20, "x"), ("reno", 20, "y"),
        ("bbr", 10, "x"), ("bbr", 10, "y"), ("bbr", 20, "x"), ("bbr", 20, "y"),
    ]  # fmt: skip
    assert {r.settings.queue_s for r in todo} == {None}
    assert ReplayPlan().variations == [ReplayPlan()]
    assert all(not each.vary for each in plan.variations)


def test_a_bad_pattern_is_found_before_the_first_run(patterns, tmp_path):
    with pytest.raises(InputError, match=r"c\.csv"):
        replays([*patterns, tmp_path / "c.csv"], ReplayPlan(), ["x"])


def test_the_settings_are_those_of_the_plan(patterns):
    plan = ReplayPlan(
        queue_packets=7, delay_s=0.5, aqm="pie", ecn=True, slot_s=1e-3, scheduler="round-robin", clients=2
    )
    (run,) = replays(patterns[:1], plan, ["x"])
    assert run.settings.profile() == plan.profile()
    assert (run.settings.scheduler, run.settings.start, run.pattern.pattern) == (
        "round-robin",
        "first-packet",
        run.settings.pattern,
    )
    assert (run.pattern.name, len(run.pattern.sha256)) == ("a", 64)


def test_random_starts_are_the_same_for_every_pattern_and_case(patterns):
    plan = ReplayPlan(repetitions=2, start_between_s=(3.0, 9.0), queue_s=0.05, aqm="codel")
    todo = replays(patterns, plan, ["x", "y"])
    starts = [run.settings.start_at_s for run in todo]
    assert starts == [starts[0]] * 4 + [starts[4]] * 4
    assert starts[0] != starts[4]
    assert all(3 <= start <= 9 for start in starts)
    assert (todo[0].settings.queue_s, todo[0].settings.aqm) == (0.05, "codel")


def test_a_drawn_order_keeps_repetitions_together_and_numbers_by_turn(patterns):
    several = [
        experiment(patterns, ReplayPlan(repetitions=3), ["x", "y", "z"]),
        experiment(patterns, ReplayPlan(repetitions=2, clients=2), ["x"]),
    ]
    todo = planned_replays(several, 7)
    assert [this.number for this in todo] == list(range(1, 23))
    assert [this.repetition for this in todo] == [1] * 8 + [2] * 8 + [3] * 6
    runs = [run for this in todo for run in this.runs]
    assert runs == list(range(1, 18 + 2 * 4 + 1))
    whole = Counter((this.experiment_number, this.case[0], this.pattern.name) for this in todo)
    assert set(whole.values()) == {3, 2}
    orders = [
        [(this.experiment_number, this.case[0], this.pattern.name) for this in todo if this.repetition == i]
        for i in (1, 2)
    ]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1] != sorted(orders[1])
    key = [(this.experiment_number, this.repetition, this.case, this.pattern.name) for this in todo]
    again = planned_replays(several, 7)
    assert key == [(this.experiment_number, this.repetition, this.case, this.pattern.name) for this in again]
    other = planned_replays(several, 8)
    assert key != [(this.experiment_number, this.repetition, this.case, this.pattern.name) for this in other]


def test_an_experiment_needs_a_pattern():
    with pytest.raises(InputError, match="pattern: has no value; at least one is needed"):
        experiment([])
