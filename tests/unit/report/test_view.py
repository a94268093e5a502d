from pathlib import Path

import pytest

from mmwemu.report.view import KeptRun, Mark, Metric


@pytest.mark.parametrize(
    ("column", "title", "value", "shown"),
    [
        ("goodput_bps", "goodput [Mbit/s]", 12.34e6, "12.3 Mbit/s"),
        ("page_load_s", "page load [s]", 0.01234, "0.0123 s"),
        ("received_bytes", "received [MB]", 2e6, "2 MB"),
        ("stalls", "stalls", 12345.0, "12345"),
        ("s", "s", 1.0, "1"),
        ("exit_code", "exit code", float("nan"), "-"),
    ],
)
def test_a_metric_has_the_name_and_unit_of_its_column(column, title, value, shown):
    metric = Metric(column)
    assert (metric.title, metric.show(value)) == (title, shown)


def test_moments_that_were_not_reached_are_left_out():
    run = KeptRun({"offset_s": 2.0, "duration_s": 3.0, "status": "ok", "a_s": 0.5, "b_s": None}, {}, Path())
    assert run.moments({"a_s": "first", "b_s": "second", "c_s": "third"}) == [Mark(2.5, "first")]
    assert (run.span("load").begin_s, run.span("load").end_s) == (2.0, 5.0)
