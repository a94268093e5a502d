"""Numbers with their units."""

import math

import pytest

from mmwemu.papers import words
from mmwemu.papers.claims import Claim
from mmwemu.papers.judge import Finding, Judged
from mmwemu.report.statistics import Estimate


def claim(**changes):
    return Claim(**{"name": "c", "source": "s", "says": "t", "of": "runs", "quantity": "goodput_bps"} | changes)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"high": 330e6}, "at most 330 Mbit/s"),
        ({"low": 1.0, "over": {"rat": ("lte",)}}, "at least 1 times"),
        ({"quantity": "p50_sinr_db", "low": -3, "high": 3}, "-3 to 3 dB"),
        ({"statistic": "share", "spans": ((0, 1),), "low": 0.05}, "at least 5 %"),
        ({"quantity": "stalls", "high": 0}, "at most 0"),
        ({"quantity": "los_change_1_s", "low": 1.8, "high": 2.5}, "1.8 to 2.5 s"),
    ],
)
def test_what_is_expected_has_the_unit_of_the_quantity(changes, text):
    assert words.expected(claim(**changes)) == text


def finding(value, low, high, n, of="", verdict="found"):
    return Finding(of, Estimate(value, low, high, n), verdict)


def test_an_estimate_says_what_its_spread_is():
    assert words.estimate(claim(), finding(3e8, 2.9e8, 3.12e8, 30)) == "300 Mbit/s (290 to 312, 95 % interval), n = 30"
    assert words.estimate(claim(), finding(3e8, 1e8, 5e8, 2)) == "300 Mbit/s (100 to 500, smallest and largest), n = 2"
    assert words.estimate(claim(), finding(3e8, 3e8, 3e8, 1)) == "300 Mbit/s, n = 1"
    assert words.estimate(claim(), finding(math.nan, math.nan, math.nan, 0)) == ""


def test_of_several_findings_the_spread_and_those_that_differ_are_told():
    several = (finding(1e8, 1e8, 1e8, 1, "s1"), finding(4e8, 4e8, 4e8, 1, "s2", "differs"))
    assert words.found(Judged(claim(), several, "differs", "")) == "100 to 400 Mbit/s; differing: s2: 400 Mbit/s"
    assert words.found(Judged(claim(), several[:1], "found", "")) == "100 Mbit/s, n = 1"


def test_verdicts_are_counted_in_words():
    assert words.count(["found", "found", "differs"]) == "2 found, 1 differ, 0 cannot be judged"
