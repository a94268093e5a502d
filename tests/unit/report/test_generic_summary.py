import math

import matplotlib.pyplot as plt
import pytest

from mmwemu.apps.command.record import CommandRun
from mmwemu.report import generic_summary
from mmwemu.report.summary import Results
from mmwemu.results.store import to_frame
from tests.records import common, download


def command(number, metrics, **changes):
    own = {"application": "command", "command": "true", "exit_code": 0}
    return CommandRun(**common(number, **(own | changes)), metrics=metrics)


def results(*runs):
    return Results(to_frame(runs), lambda _: {})


@pytest.mark.parametrize(
    ("name", "words", "unit"),
    [
        ("page_load_s", "page load", "s"),
        ("goodput_bps", "goodput", "bit/s"),
        ("rtt_ms", "rtt", "ms"),
        ("lost_ratio", "lost", "ratio"),
        ("size_bytes", "size", "bytes"),
        ("sinr_db", "sinr", "dB"),
        ("frames", "frames", ""),
        ("frames_shown", "frames shown", ""),
        ("s", "s", ""),
        ("bytes", "bytes", ""),
    ],
)
def test_the_unit_is_in_the_name(name, words, unit):
    assert generic_summary.unit_of(name) == (words, unit)


def test_metrics_are_the_numbers_of_the_application():
    metrics = {"load_s": 1, "page": "home", "cached": True, "none_s": None, "late_s": None}
    runs = [command(1, metrics), command(2, metrics | {"late_s": 0.5, "load_s": 2.5})]
    found = generic_summary.metrics_of(to_frame(runs))
    assert [name for name in found if name != "exit_code"] == ["duration_s", "load_s", "late_s"]


def test_a_table_has_a_row_for_each_metric_and_a_picture_is_written(tmp_path):
    runs = [
        command(1, {"load_s": 1.0, "page": "home"}),
        command(2, {"load_s": 3.0, "page": "home"}, duration_s=3.0),
        command(3, {}, status="failed", error="exit code 1"),
        command(4, {"load_s": 12345.678, "page": "x"}, pattern="q", valid=False),
    ]
    summary = generic_summary.summarize(results(*runs), tmp_path)
    assert (tmp_path / "metrics.png").read_bytes().startswith(b"\x89PNG")
    (table,) = summary.tables
    assert tuple(table.header) == ("pattern", "from", "metric", "mean", "95 % interval, or runs", "runs", "")
    rows = {row[2]: row for row in table.rows}
    assert rows["duration [s]"] == ("p", "0 s", "duration [s]", "2", "1, 3", "3", "1 failed")
    assert rows["load [s]"][:4] == ("", "", "load [s]", "2")
    assert table.rows[-1] == ("q", "0 s", "-", "-", "-", "1", "1 not valid")
    assert not any("page" in label for label in rows)
    groups = summary.values["groups"]
    assert [(group["pattern"], group["runs"]) for group in groups] == [("p", 3), ("q", 1)]
    assert groups[0]["metrics"]["load_s"]["values"] == [1.0, 3.0]


def test_runs_of_drawn_starts_belong_together(tmp_path):
    runs = [command(i, {"load_s": 1.0}, start_at_s=float(i)) for i in (1, 2)]
    summary = generic_summary.summarize(results(*runs), tmp_path)
    assert summary.tables[0].rows[0][:2] == ("p", "random")


def test_without_metrics_the_duration_is_left(tmp_path):
    summary = generic_summary.summarize(results(command(1, {}, exit_code=None)), tmp_path)
    assert [row[2:5] for row in summary.tables[0].rows] == [("duration [s]", "1", "-")]


def test_runs_that_all_failed_are_a_row_without_a_picture(tmp_path):
    summary = generic_summary.summarize(results(command(1, {}, status="failed", exit_code=None)), tmp_path)
    assert [tuple(row) for row in summary.tables[0].rows] == [("p", "0 s", "-", "-", "-", "1", "1 failed")]
    assert list(tmp_path.iterdir()) == []


def test_columns_that_are_no_metrics_are_left_out(tmp_path):
    run = command(1, {"load_s": 1.0})
    summary = generic_summary.summarize(results(run), tmp_path, leave_out=["exit_code"])
    assert [row[2] for row in summary.tables[0].rows] == ["duration [s]", "load [s]"]


def test_more_metrics_than_panels_are_all_in_the_table(tmp_path):
    summary = generic_summary.summarize(results(command(1, {f"m{i}_s": float(i) for i in range(30)})), tmp_path)
    assert {f"m{i} [s]" for i in range(30)} <= {row[2] for row in summary.tables[0].rows}
    assert (tmp_path / "metrics.png").stat().st_size > 5_000


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.00012345, "0.0001234"),
        (123456.7, "123457"),
        (1.5e9, "1500000000"),
        (1.2e-7, "1.2e-07"),
        (-3e-5, "-3e-05"),
        (0.0, "0"),
        (-123456.7, "-123457"),
    ],
)
def test_numbers_are_short(value, text):
    assert generic_summary._short(value) == text
    assert generic_summary._short(math.nan) == "-"


@pytest.fixture
def drawn(monkeypatch):
    """Give the figures that would be saved."""
    kept = []
    monkeypatch.setattr(generic_summary.figure, "save", lambda drawing, _: kept.append(drawing))
    yield kept
    for drawing in kept:
        plt.close(drawing)


def test_a_picture_has_a_panel_for_each_of_the_first_twelve_metrics(tmp_path, drawn):
    generic_summary.summarize(results(command(1, {f"m{i}_bytes": float(i) for i in range(30)})), tmp_path)
    generic_summary.summarize(results(command(1, {"load_s": 1.0, "wait_ms": 2.0, "n": 3})), tmp_path)
    many, few = ([axes for axes in drawing.axes if axes.get_visible()] for drawing in drawn)
    titles = ["duration", "exit code", *(f"m{i}" for i in range(10))]
    assert [axes.get_title(loc="left") for axes in many] == titles
    assert [axes.get_ylabel() for axes in many] == ["s", "", *["bytes"] * 10]
    assert [axes.get_title(loc="left") for axes in few] == ["duration", "exit code", "load", "wait", "n"]
    assert [axes.get_ylabel() for axes in few] == ["s", "", "s", "ms", ""]
    # Three in a row; the patterns are named once.
    assert [len(drawing.axes) for drawing in drawn] == [12, 6]
    assert [len(axes.get_legend_handles_labels()[1]) for axes in few] == [1, 0, 0, 0, 0]


def test_a_table_is_aligned_and_names_pattern_runs_and_notes_once(tmp_path):
    runs = [command(i, {"load_s": 1.0}, valid=i > 1) for i in (1, 2, 3)]
    (table,) = generic_summary.summarize(results(*runs), tmp_path).tables
    assert table.rows == [
        ("p", "0 s", "duration [s]", "1", "1, 1", "3", "1 not valid"),
        ("", "", "exit code", "0", "0, 0", "", ""),
        ("", "", "load [s]", "1", "1, 1", "", ""),
    ]
    assert tuple(table.right) == (1, 3, 4, 5)


@pytest.mark.parametrize(
    ("suffix", "unit"),
    [("us", "us"), ("ns", "ns"), ("packets", "packets"), ("count", "count"), ("percent", "%"), ("mb", "MB"),
     ("kb", "kB"), ("mbps", "Mbit/s"), ("hz", "Hz")],
)  # fmt: skip
def test_every_unit_is_known(suffix, unit):
    assert generic_summary.unit_of(f"a_b_{suffix}") == ("a b", unit)


def test_the_first_column_of_an_application_can_be_a_metric():
    assert generic_summary.metrics_of(to_frame([download(1)])) == [
        "duration_s", "size_bytes", "received_bytes", "connect_s", "ttfb_s", "goodput_bps",
    ]  # fmt: skip


def test_a_metric_that_a_pattern_lacks_is_left_out_of_its_rows(tmp_path):
    runs = [command(1, {"load_s": 1.0}), command(2, {}, pattern="q", repetition=1)]
    (table,) = generic_summary.summarize(results(*runs), tmp_path).tables
    assert [row[2] for row in table.rows] == ["duration [s]", "exit code", "load [s]", "duration [s]", "exit code"]
