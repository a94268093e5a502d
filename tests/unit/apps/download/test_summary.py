import pytest

from mmwemu.apps.download import summary as downloads
from mmwemu.report.summary import Results
from mmwemu.results.store import to_frame
from tests.records import download


def results(*runs, **options):
    return Results(to_frame(runs), lambda _: {}, **options)


def test_failed_and_invalid_runs_are_counted_but_left_out():
    big, small = downloads.goodput_groups(
        results(
            download(1, goodput_bps=10e6),
            download(2, goodput_bps=20e6, status="timeout"),
            download(3, goodput_bps=None, status="failed"),
            download(4, goodput_bps=99e6, valid=False),
            download(5, goodput_bps=7e6, size_bytes=5),
        )
    )
    assert big.metrics["goodput_bps"].mean == 15e6
    assert (big.runs, big.timeouts, big.failed, big.invalid) == (4, 1, 1, 1)
    assert (small.keys["size_bytes"], small.metrics["goodput_bps"].mean) == (5, 7e6)


def test_starts_are_told_apart_unless_they_were_drawn():
    listed = results(download(1), download(2, repetition=1, start_at_s=5.0))
    assert [group.keys["start_at_s"] for group in downloads.goodput_groups(listed)] == [0.0, 5.0]
    (drawn,) = downloads.goodput_groups(results(download(1, start_at_s=3.1), download(2, start_at_s=4.2)))
    assert drawn.runs == 2
    assert downloads.goodput_table([drawn]).rows[0][2] == "random"


def test_the_table_is_in_mbit():
    groups = downloads.goodput_groups(results(download(1, goodput_bps=10e6), download(2, goodput_bps=20e6)))
    (row,) = downloads.goodput_table(groups).rows
    assert row == ("p", "2 MB", "0 s", "15.0", "-48.5 - 78.5", 2, "")


@pytest.mark.parametrize("pattern", [{}, {"pattern": "q", "rat": "mmwave"}, {"pattern": "q"}])
def test_a_summary_draws_goodput_even_if_every_run_failed(tmp_path, pattern):
    bad = download(3, **pattern, goodput_bps=None, status="failed")
    summary = downloads.summarize(results(download(1), download(2, start_at_s=2.0), bad), tmp_path)
    assert (tmp_path / "goodput.png").read_bytes().startswith(b"\x89PNG")
    assert sum(group["failed"] for group in summary.values["goodput"]) == 1
    downloads.summarize(results(bad), tmp_path)
