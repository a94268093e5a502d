"""Verdicts over tables made by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from mmwemu.core.errors import InputError
from mmwemu.papers.claims import Claim
from mmwemu.papers.judge import judge


def claim(**changes):
    return Claim(
        **{"name": "c", "source": "s", "says": "t", "of": "runs", "quantity": "goodput", "high": 10.0} | changes
    )


def runs(values, **columns):
    n = len(values)
    common = {"valid": True, "status": "ok", "cpu_bound": False, "start_at_s": 0.0}
    return pd.DataFrame({"goodput": values, "repetition": range(n), **common, **columns})


def verdict(asked, *tables):
    (found,) = judge([asked], {"runs": pd.concat(tables), "cells": pd.DataFrame()})
    return found


def test_an_interval_within_the_bounds_is_found_one_outside_differs_and_one_across_is_not_judged():
    near = [9.0, 9.5, 10.0, 10.5, 11.0, 10.0]
    assert verdict(claim(), runs([1.0, 2.0, 3.0, 2.0, 1.0])).verdict == "found"
    assert verdict(claim(), runs([11.0, 12.0, 13.0, 12.0, 11.0])).verdict == "differs"
    across = verdict(claim(), runs(near))
    assert across.verdict == "cannot be judged"
    assert across.findings[0].estimate.low < 10 < across.findings[0].estimate.high
    assert "repeat more often" in across.why


def test_few_values_decide_by_all_of_them():
    assert verdict(claim(), runs([1.0, 9.0])).verdict == "found"
    few = verdict(claim(), runs([1.0, 11.0]))
    assert few.verdict == "cannot be judged"
    assert (few.findings[0].estimate.low, few.findings[0].estimate.high) == (1.0, 11.0)


def test_a_ratio_is_of_pairs_where_both_have_the_same_start_and_repetition():
    values = np.array([1.0, 10.0, 100.0, 1000.0, 10000.0])
    tables = runs(2 * values, rat="mmwave"), runs(values, rat="lte")
    asked = claim(where={"rat": ("mmwave",)}, over={"rat": ("lte",)}, low=1.9, high=2.1)
    assert verdict(asked, *tables).verdict == "found"  # unpaired, values that differ this much would decide nothing
    unpaired = tables[1].assign(repetition=tables[1]["repetition"] + 100)
    assert verdict(asked, tables[0], unpaired).verdict == "cannot be judged"


def test_a_ratio_of_few_values_spans_all_quotients():
    tables = runs([2.0, 4.0], rat="mmwave"), runs([1.0, 1.0], rat="lte")
    (found,) = verdict(claim(where={"rat": ("mmwave",)}, over={"rat": ("lte",)}), *tables).findings
    assert (found.estimate.value, found.estimate.low, found.estimate.high) == (3.0, 2.0, 4.0)


def test_a_share_counts_values_in_any_span():
    asked = claim(statistic="share", spans=((0.9, 1.1), (2.9, 3.1)), low=0.4, high=0.6)
    assert verdict(asked, runs([1.0, 2.0, 3.0, 4.0])).findings[0].estimate.value == 0.5


def test_that_none_of_a_few_runs_did_it_does_not_show_that_it_is_rare():
    asked = claim(statistic="share", spans=((0.9, 1.1),), high=0.02)
    assert verdict(asked, runs([5.0] * 15)).verdict == "cannot be judged"
    assert verdict(asked, runs([5.0] * 300)).verdict == "found"
    assert verdict(asked, runs([1.0] * 15)).verdict == "differs"


def test_runs_that_failed_or_were_not_valid_are_left_out_and_counted():
    table = runs([1.0, 100.0, 100.0, 2.0])
    table["valid"] = [True, False, True, True]
    table["status"] = ["ok", "ok", "failed", "timeout"]
    found = verdict(claim(), table)
    assert found.verdict == "found"
    assert found.why == "2 of 4 runs failed or had a link that was not valid"
    assert "most runs were CPU-bound" in verdict(claim(), runs([1.0, 2.0], cpu_bound=[True, True])).why


def test_what_was_not_run_is_not_judged():
    found = verdict(claim(where={"size": (5,)}), runs([1.0], size=3))
    assert (found.verdict, found.why) == ("cannot be judged", "was not measured here")
    assert math.isnan(found.findings[0].estimate.value)
    (empty,) = judge([claim(of="cells")], {"runs": pd.DataFrame(), "cells": pd.DataFrame()})
    assert empty.verdict == "cannot be judged"


@pytest.mark.parametrize(
    ("needed", "expected"), [(None, "differs"), (2, "cannot be judged"), (1, "found"), (3, "differs")]
)
def test_a_claim_for_each_needs_all_or_the_least_of_its_instances(needed, expected):
    table = pd.concat([runs([1.0], site="a"), runs([99.0], site="b"), runs([9.0, 11.0], site="c")])
    found = verdict(claim(each={"site": ("a", "b", "c")}, needed=needed, remark="known"), table)
    assert [one.verdict for one in found.findings] == ["found", "differs", "cannot be judged"]
    assert found.verdict == expected
    assert found.why.startswith("1 of 3 found, 1 differ")
    assert found.why.endswith("known") == (expected != "found")


def test_a_column_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(InputError, match="claim c: godput: is no column of runs; there are: goodput, "):
        verdict(claim(quantity="godput"), runs([1.0]))
