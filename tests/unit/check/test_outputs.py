"""What is written of a check: JUnit XML for an XML parser, Markdown in which nothing of a file is markup."""

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.check.judging import Line
from mmwemu.check.junit import junit
from mmwemu.check.markdown import markdown
from mmwemu.check.report import Report

TEXT = st.text(max_size=30)


def line(verdict="pass", text="x <= 1", group="g", reason="", **more):
    numbers = {"value": 1.0, "low": 0.5, "high": 2.0, "bound": 1.0, "n": 5} | more
    return Line(threshold=text, group=group, relation="", verdict=verdict, reason=reason, more=None, **numbers)


def report(*lines, verdict="fail", **more):
    return Report("s", verdict, more.pop("reason", "because"), lines, **more)


@given(TEXT, TEXT, TEXT, TEXT, st.sampled_from(["pass", "fail", "inconclusive"]))
def test_any_text_is_well_formed_xml_and_one_row_of_markdown(text, group, reason, note, verdict):
    found = report(line(verdict, text, group, reason), verdict=verdict, notes=[note], reason=reason)
    root = ElementTree.fromstring(junit(found, "inconclusive").encode())
    (case,) = root.iter("testcase")
    assert {child.tag for child in case} == {"pass": set(), "fail": {"failure"}, "inconclusive": {"error"}}[verdict]
    shown = markdown(found)
    rows = [row for row in shown.split("\n") if row.startswith("| ")]
    assert len(rows) == 3
    assert all(len(row.replace("\\|", "").split("|")) == 9 for row in rows)
    assert "<" not in shown


@pytest.mark.parametrize(
    ("inconclusive", "tags"), [("inconclusive", ["failure", "error"]), ("pass", ["failure"]), ("fail", ["failure"] * 2)]
)
def test_what_is_inconclusive_counts_as_asked(inconclusive, tags):
    found = report(line("pass"), line("fail"), line("inconclusive", value=math.nan, low=-math.inf, high=math.inf, n=0))
    (suite,) = ElementTree.fromstring(junit(found, inconclusive)).iter("testsuite")
    assert [child.tag for case in suite.iter("testcase") for child in case] == tags
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == (
        "3", str(tags.count("failure")), str(tags.count("error")))  # fmt: skip


def test_a_check_that_ended_before_any_line_says_why():
    early = report(verdict="inconclusive", reason="terminated", exit_code=143)
    (case,) = ElementTree.fromstring(junit(early, "inconclusive")).iter("testcase")
    assert case.find("error").get("message") == "terminated"
    assert "Terminated." in markdown(early)
    failed = report(line("inconclusive"), verdict="fail", reason="a run failed: exit code 7")
    failures = ElementTree.fromstring(junit(failed, "pass")).iter("failure")
    assert any("exit code 7" in found.get("message") for found in failures)


@pytest.mark.parametrize(
    ("verdict", "counts_as", "code"),
    [("pass", "inconclusive", 0), ("fail", "pass", 1), ("inconclusive", "inconclusive", 4), ("inconclusive", "pass", 0),
     ("inconclusive", "fail", 1)],
)  # fmt: skip
def test_exit_codes(verdict, counts_as, code):
    assert report(verdict=verdict).with_code(counts_as).exit_code == code


def test_the_name_of_a_file_keeps_its_letters():
    assert "\ncheck.toml: is wrong." in markdown(Report("s", "inconclusive", "check.toml: is wrong"))
    assert "\nIt is wrong." in markdown(Report("s", "inconclusive", "it is wrong"))
