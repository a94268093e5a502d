import math

import pytest

from mmwemu.core.errors import InputError
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.study.replay import ReplayPlan, repetitions, replay
from mmwemu.testbed.fake import FakeTestbed


@pytest.fixture
def patterns(tmp_path):
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file in files:
        native.save(constant(1e6, 10), file)
    return files


def test_repetitions_take_turns_and_go_by_pattern_start_and_case(patterns):
    todo = repetitions(patterns, ReplayPlan(repetitions=2, starts_at_s=(0.0, 1.0), seed=5), ["x", "y"])
    assert [run.number for run in todo] == list(range(1, 17))
    assert [(r.pattern_name, r.settings.start_at_s, r.case) for r in todo[:5]] == [
        ("a", 0.0, "x"), ("a", 0.0, "y"), ("a", 1.0, "x"), ("a", 1.0, "y"), ("b", 0.0, "x"),
    ]  # fmt: skip
    assert [run.repetition for run in todo] == [1] * 8 + [2] * 8
    assert [todo[i].settings.seed for i in (0, 7, 8)] == [5, 5, 6]


def test_a_bad_pattern_is_found_before_the_first_run(patterns, tmp_path):
    with pytest.raises(InputError, match=r"c\.csv"):
        repetitions([*patterns, tmp_path / "c.csv"], ReplayPlan(), ["x"])


def test_the_link_is_drained_before_the_pattern_starts(patterns):
    (run,) = repetitions(patterns[:1], ReplayPlan(), ["x"])
    testbed = FakeTestbed()
    outcome, columns, telemetry = replay(testbed, run, lambda: len(testbed.started))
    drain, start = testbed.started
    assert math.isinf(drain.pattern.downlink.rate_bps[0])
    assert (drain.start, start.start) == ("now", "first-packet")
    assert start is run.settings
    assert outcome == 2
    assert columns["valid"] is True
    assert columns["pattern"] == "a"
    assert columns["dropped_queue_bytes"] == telemetry["dropped_queue_bytes"].sum()


@pytest.mark.parametrize(
    "changes", [{"repetitions": 0}, {"delay_s": math.nan}, {"start_between_s": (2.0, 1.0)}, {"starts_at_s": ()}]
)
def test_a_plan_that_makes_no_sense_is_refused(changes):
    with pytest.raises(InputError):
        ReplayPlan(**changes)


def test_random_starts_are_the_same_for_every_pattern_and_case(patterns):
    plan = ReplayPlan(repetitions=2, start_between_s=(3.0, 9.0), queue_s=0.05, aqm="codel")
    todo = repetitions(patterns, plan, ["x", "y"])
    starts = [run.settings.start_at_s for run in todo]
    assert starts == [starts[0]] * 4 + [starts[4]] * 4
    assert starts[0] != starts[4]
    assert all(3 <= start <= 9 for start in starts)
    assert (todo[0].settings.queue_s, todo[0].settings.aqm) == (0.05, "codel")
