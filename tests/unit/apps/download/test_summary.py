import matplotlib.pyplot as plt
import pytest
from matplotlib.collections import LineCollection, PathCollection

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
    assert big.metrics["goodput_bps"].value == 15e6
    assert (big.runs, big.timeouts, big.failed, big.invalid) == (4, 1, 1, 1)
    assert (small.keys["size_bytes"], small.metrics["goodput_bps"].value) == (5, 7e6)


def test_starts_are_told_apart_unless_they_were_drawn():
    listed = results(download(1), download(2, repetition=1, start_at_s=5.0))
    assert [group.keys["start_at_s"] for group in downloads.goodput_groups(listed)] == [0.0, 5.0]
    (drawn,) = downloads.goodput_groups(results(download(1, start_at_s=3.1), download(2, start_at_s=4.2)))
    assert drawn.runs == 2
    assert downloads.goodput_table([drawn]).rows[0][3] == "random"


def test_protocols_are_told_apart_and_old_folders_are_of_http():
    both = results(download(1), download(2, protocol="h3"))
    assert [row[2] for row in downloads.goodput_table(downloads.goodput_groups(both)).rows] == ["http", "h3"]
    old = Results(both.runs.drop(columns="protocol"), lambda _: {})
    assert [(group.keys["protocol"], group.runs) for group in downloads.goodput_groups(old)] == [("http", 2)]


def test_the_table_is_in_mbit():
    groups = downloads.goodput_groups(results(download(1, goodput_bps=10e6), download(2, goodput_bps=20e6)))
    (row,) = downloads.goodput_table(groups).rows
    assert row == ("p", "2 MB", "http", "0 s", "15.0", "10.0, 20.0", 2, "")


@pytest.mark.parametrize("pattern", [{}, {"pattern": "q", "rat": "mmwave"}, {"pattern": "q"}])
def test_a_summary_draws_goodput_even_if_every_run_failed(tmp_path, pattern):
    bad = download(3, **pattern, goodput_bps=None, status="failed")
    summary = downloads.summarize(results(download(1), download(2, start_at_s=2.0), bad), tmp_path)
    assert (tmp_path / "goodput.png").read_bytes().startswith(b"\x89PNG")
    assert sum(group["failed"] for group in summary.values["goodput"]) == 1
    downloads.summarize(results(bad), tmp_path)


def test_bars_are_means_in_mbit_with_their_runs_and_intervals(tmp_path, monkeypatch):
    kept = []
    monkeypatch.setattr(downloads.figure, "save", lambda drawing, _: kept.append(drawing))
    runs = [
        download(1, goodput_bps=10e6, pattern="q", rat="mmwave"), download(2, goodput_bps=10e6),
        download(3, goodput_bps=20e6), download(4, goodput_bps=30e6, size_bytes=5_000),
    ]  # fmt: skip
    downloads.plot_goodput(downloads.goodput_groups(results(*runs)), tmp_path / "p.png", "title")
    (axes,) = kept[0].axes
    bars = [(round(bar.get_x() + bar.get_width() / 2, 6), bar.get_height()) for bar in axes.patches]
    # Two patterns: 0.2 left and right of each size.
    assert bars == [(-0.2, 10), (0.2, 15), (1.2, 30)]
    assert axes.get_legend_handles_labels()[1] == ["5G mmWave", "4G LTE"]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["2 MB", "5 kB"]
    dots = [each for each in axes.collections if isinstance(each, PathCollection)]
    assert [each.get_offsets().data.round(6).tolist() for each in dots] == [
        [[-0.2, 10]], [[0.12, 10], [0.28, 20]], [[1.2, 30]],
    ]  # fmt: skip
    assert not any(isinstance(each, LineCollection) for each in axes.collections)  # too few runs for an interval
    runs = [download(number, goodput_bps=number * 1e6) for number in range(1, 6)]
    groups = downloads.goodput_groups(results(*runs))
    downloads.plot_goodput(groups, tmp_path / "p.png", "title")
    (whisker,) = (each for each in kept[1].axes[0].collections if isinstance(each, LineCollection))
    ((_, low), (_, high)) = whisker.get_segments()[0]
    estimate = groups[0].metrics["goodput_bps"]
    assert (low * 1e6, high * 1e6) == (pytest.approx(estimate.low), pytest.approx(estimate.high))
    for each in kept:
        plt.close(each)


def test_bars_of_several_starts_or_of_one_rat_say_so(tmp_path, monkeypatch):
    kept = []
    monkeypatch.setattr(downloads.figure, "save", lambda drawing, _: kept.append(drawing))
    listed = [download(1), download(2, repetition=1, start_at_s=5.0), download(3, pattern="q")]
    downloads.plot_goodput(downloads.goodput_groups(results(*listed)), tmp_path / "p.png")
    drawn = [download(1, start_at_s=3.1), download(2, start_at_s=4.2)]
    protocols = [download(1), download(2, protocol="h3")]
    downloads.plot_goodput(downloads.goodput_groups(results(*protocols)), tmp_path / "p.png")
    downloads.plot_goodput(downloads.goodput_groups(results(*drawn)), tmp_path / "p.png")
    names = [each.axes[0].get_legend_handles_labels()[1] for each in kept]
    assert names == [["p, from 0 s", "p, from 5 s", "q, from 0 s"], ["p, http", "p, h3"], ["4G LTE"]]
    for each in kept:
        plt.close(each)


def test_the_table_aligns_its_numbers():
    table = downloads.goodput_table(downloads.goodput_groups(results(download(1))))
    assert tuple(table.header) == (
        "pattern", "size", "protocol", "from", "goodput [Mbit/s]", "95 % interval, or runs", "runs", "",
    )  # fmt: skip
    assert tuple(table.right) == (1, 3, 4, 5, 6)
