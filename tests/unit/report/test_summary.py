import json
import math

import pandas as pd
import pytest

from mmwemu.report.statistics import LEAST
from mmwemu.report.summary import Results, group_runs, interval, number, start_of
from mmwemu.results.store import to_frame
from tests.records import download


def table(*rows):
    base = {
        "pattern": "p",
        "rat": "lte",
        "start_at_s": 0.0,
        "repetition": 1,
        "status": "ok",
        "valid": True,
        "cpu_bound": False,
        "x_s": 1.0,
    }
    return pd.DataFrame([base | row for row in rows])


def group(*rows, **options):
    (found,) = groups(table(*rows), ["pattern"], **options)
    return found


def groups(runs, keys, metrics=("x_s",), **options):
    return group_runs(Results(runs, lambda _: {}, **options), keys, metrics)


def test_failed_and_invalid_runs_are_counted_but_left_out():
    runs = [
        download(1, goodput_bps=10e6),
        download(2, goodput_bps=20e6, status="timeout"),
        download(3, goodput_bps=None, status="failed"),
        download(4, goodput_bps=99e6, valid=False),
        download(5, goodput_bps=7e6, size_bytes=5),
    ]
    big, small = groups(to_frame(runs), ["pattern", "size_bytes"], ["goodput_bps"])
    assert big.values["goodput_bps"] == (10e6, 20e6)
    assert (big.metrics["goodput_bps"].value, big.median("goodput_bps")) == (15e6, 15e6)
    assert (big.runs, big.timeouts, big.failed, big.invalid, big.cpu_bound) == (4, 1, 1, 1, 0)
    assert big.good["run"].tolist() == [1, 2]
    assert (small.keys, small.metrics["goodput_bps"].value) == ({"pattern": "p", "size_bytes": 5}, 7e6)


def test_groups_keep_the_order_of_the_first_runs():
    runs = table({"pattern": "z"}, {"pattern": "a", "rat": ""}, {"pattern": "z"}, {"pattern": "m"})
    found = groups(runs, ["pattern", "rat"])
    assert [(each.keys["pattern"], each.runs) for each in found] == [("z", 2), ("a", 1), ("m", 1)]


def test_a_metric_that_a_run_did_not_reach_is_left_out_of_it_only():
    found = group({"x_s": None, "status": "timeout"}, {"x_s": 3.0}, {"x_s": 5.0})
    assert (found.values["x_s"], found.timeouts, found.metrics["x_s"].n) == ((3.0, 5.0), 1, 2)
    nothing = group({"x_s": None})
    assert (
        nothing.values["x_s"] == () and math.isnan(nothing.median("x_s")) and math.isnan(nothing.metrics["x_s"].value)
    )


def test_cpu_bound_runs_count_unless_asked():
    rows = {"x_s": 4.0, "cpu_bound": False}, {"x_s": 2.0, "cpu_bound": True}
    assert (group(*rows).metrics["x_s"].value, group(*rows).cpu_bound) == (3.0, 1)
    without = group(*rows, exclude_cpu_bound=True)
    assert (without.metrics["x_s"].value, without.cpu_bound, without.runs) == (4.0, 1, 2)


@pytest.mark.parametrize(("bound", "is_cpu_bound"), [((True, True, False), True), ((True, False), False), ((), False)])
def test_a_group_of_mostly_cpu_bound_runs_says_so(bound, is_cpu_bound):
    rows = [{"cpu_bound": value} for value in bound] or [{}]
    assert group(*rows).is_cpu_bound == is_cpu_bound
    bad = [{"cpu_bound": True, "valid": False}] * 5 if bound else []
    assert group(*rows, *bad).is_cpu_bound == is_cpu_bound


def test_clients_of_one_replay_are_averaged():
    values = [(1, 1.0), (1, 3.0), (2, 5.0), (2, None), (3, 9.0)]
    rows = [{"clients": 2, "replay": replay, "x_s": value} for replay, value in values]
    found = group(*rows, {"clients": 2, "replay": 3, "x_s": 100.0, "valid": False})
    assert found.values["x_s"] == (2.0, 5.0, 9.0)
    assert (found.metrics["x_s"].n, found.median("x_s"), found.runs) == (3, 5.0, 6)
    assert found.notes() == ["means of 2 clients", "1 not valid"]
    reverse = [{"clients": 2, "replay": replay, "x_s": float(replay)} for replay in (3, 1, 3)]
    assert group(*reverse).values["x_s"] == (3.0, 1.0)
    alone = [row | {"clients": 1} for row in rows]
    assert group(*alone).values["x_s"] == (1.0, 3.0, 5.0, 9.0)
    assert group(*alone).notes() == []


def test_notes_are_the_counts_that_are_not_0():
    assert group({}).notes() == []
    rows = {"status": "timeout"}, {"status": "failed"}, {"valid": False}, {"valid": False, "cpu_bound": True}
    found = group(*({"cpu_bound": False} | row for row in rows))
    assert found.notes() == ["1 at the limit", "1 failed", "2 not valid", "1 CPU-bound"]
    assert found.notes("did not begin")[0] == "1 did not begin"


def test_json_has_all_but_the_runs():
    found = group({"x_s": 1}, {"x_s": 3, "status": "timeout"}).to_json()
    metric = found.pop("metrics")["x_s"]
    assert found == {"pattern": "p", "runs": 2, "timeouts": 1, "failed": 0, "invalid": 0, "cpu_bound": 0,
                     "interval_of": "mean"}  # fmt: skip
    assert math.isnan(metric["low"]) and math.isnan(metric["high"])
    assert metric | {"low": None, "high": None} == {
        "mean": 2.0, "low": None, "high": None, "n": 2, "median": 2.0, "values": [1.0, 3.0],
    }  # fmt: skip
    keys = ["pattern", "start_at_s", "runs_of"]
    whole = groups(table({}).assign(runs_of=pd.Series([7])), keys)[0].to_json()
    assert json.loads(json.dumps(whole))["runs_of"] == 7  # numbers of Python, not of numpy


@pytest.mark.parametrize(
    ("starts", "random"),
    [
        ([(1, 0.0), (2, 0.0)], False),  # one start for all
        ([(1, 0.0), (1, 5.0)], False),  # several of one repetition: they were listed
        ([(1, 3.1), (1, 3.1), (2, 7.9), (2, 7.9)], True),
        ([(1, 3.1)], False),
    ],
)
def test_starts_were_drawn_if_each_repetition_has_its_own(starts, random):
    runs = pd.DataFrame(starts, columns=["repetition", "start_at_s"])
    assert Results(runs, lambda _: {}).has_random_starts is random


def test_numbers_of_tables():
    assert number(1.25, 1, 1e3) == "1250.0"
    assert number(math.nan, 1) == "-"
    both = groups(table({"start_at_s": 2.5}), ["start_at_s"])[0], group({})
    assert [start_of(each) for each in both] == ["2.5 s", "random"]


def test_counts_add_up_over_several_runs():
    rows = [{"status": "timeout"}] * 3 + [{"status": "failed"}] * 2 + [{"valid": False}] * 4
    found = group(*({"cpu_bound": i % 2 == 0} | row for i, row in enumerate(rows)))
    assert (found.runs, found.timeouts, found.failed, found.invalid, found.cpu_bound) == (9, 3, 2, 4, 5)


def test_keys_are_plain_values():
    keys = groups(table({"n": 3}), ["pattern", "n", "valid"])[0].keys
    assert [type(value) for value in keys.values()] == [str, int, bool]


def test_two_clients_are_several_and_one_is_not():
    assert group({"clients": 2, "replay": 1}).notes() == ["means of 2 clients"]
    assert group({"clients": 1, "replay": 1}).notes() == []
    assert group({"clients": 2, "replay": 1, "valid": False}).notes() == ["1 not valid"]


def test_an_interval_is_shown_from_five_runs_on_and_the_runs_below():
    def shown(n):
        return interval(group(*({"x_s": float(i)} for i in range(n))), "x_s", lambda value: number(value, 1))

    assert [shown(n) for n in (1, 2, LEAST - 1)] == ["-", "0.0, 1.0", "0.0, 1.0, 2.0, 3.0"]
    low, high = map(float, shown(LEAST).split(" - "))
    assert 0 <= low < 2 < high <= 4


def test_the_average_is_a_choice():
    rows = [{"x_s": value} for value in (1.0, 1.0, 1.0, 1.0, 6.0)]
    assert (group(*rows).metrics["x_s"].value, group(*rows, average="median").metrics["x_s"].value) == (2.0, 1.0)
    found = group(*rows, average="median").to_json()
    assert found["interval_of"] == "median"
    assert (found["metrics"]["x_s"]["mean"], found["metrics"]["x_s"]["median"]) == (2, 1)
