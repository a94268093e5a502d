import math

import pandas as pd
import pytest

from mmwemu.apps.stream import figures as stream_figures
from mmwemu.apps.stream import summary as streams
from mmwemu.report.summary import Results


def runs(*rows):
    base = dict.fromkeys(streams.METRICS, 1.0) | {
        "pattern": "p", "rat": "lte", "start_at_s": 0.0, "film": "bunny", "ladder": "1080p", "player": "browser",
        "abr": "dynamic", "status": "ok", "valid": True, "cpu_bound": False, "switches_up": 2, "switches_down": 1,
    }  # fmt: skip
    del base["switches"]
    return pd.DataFrame([base | {"run": i, "repetition": i} | row for i, row in enumerate(rows, 1)])


def groups(table, **options):
    return streams.play_groups(Results(table, lambda _: {}, **options))


def test_means_leave_out_what_failed_or_was_not_valid():
    rows = [{"stall_s": 3.0}, {"stall_s": 9.0, "valid": False}, {"status": "failed", "startup_s": None}, {}]
    (group,) = groups(runs(*rows))
    assert (group.runs, group.failed, group.invalid) == (4, 1, 1)
    assert group.metrics["stall_s"].value == 2.0
    assert group.metrics["switches"].value == 3.0


def test_a_film_that_did_not_begin_counts_with_what_it_has():
    (group,) = groups(runs({"status": "timeout", "startup_s": None, "bitrate_mean_bps": None}))
    assert group.timeouts == 1
    assert math.isnan(group.metrics["startup_s"].value)


def test_cpu_bound_plays_count_unless_asked():
    table = runs({"stall_s": 3.0, "cpu_bound": True}, {"stall_s": 1.0})
    assert groups(table)[0].metrics["stall_s"].value == 2.0
    (group,) = groups(table, exclude_cpu_bound=True)
    assert (group.metrics["stall_s"].value, group.cpu_bound) == (1.0, 1)


def test_starts_are_told_apart_unless_they_were_drawn():
    listed = runs({"repetition": 1}, {"repetition": 1, "start_at_s": 5.0})
    assert [group.keys["start_at_s"] for group in groups(listed)] == [0.0, 5.0]
    (drawn,) = groups(runs({"start_at_s": 3.1}, {"start_at_s": 5.2}))
    assert "start_at_s" not in drawn.keys and drawn.runs == 2


def test_the_table_has_a_row_for_each_group():
    table = streams.play_table(groups(runs({"bitrate_mean_bps": 2e6}, {"status": "timeout", "bitrate_mean_bps": None})))
    (row,) = table.rows
    found = dict(zip(table.header, row, strict=True))
    assert (found["pattern"], found["from"], found["video [Mbit/s]"], found["95 % interval, or runs"]) == (
        "p",
        "0 s",
        "2.00",
        "-",
    )
    assert (found["switches"], found["runs"], found[""]) == ("3.0", 2, "1 did not begin")


BUFFER = pd.DataFrame(
    {
        "time_s": [0.1, 0.2],
        "buffer_s": [1.0, 2.0],
        "received_bytes": [1.0, 2.0],
        "played_bytes": [0.0, 1.0],
        "rate_bps": [1e6, float("nan")],
        "throughput_bps": [2e6, 2e6],
    }
)
STALLS = pd.DataFrame({"start_s": [0.1, 0.2], "duration_s": [0.1, 0.1], "cause": ["network", "cpu"]})


def test_a_summary_draws_three_figures(tmp_path):
    results = Results(runs({}, {}), lambda _: {"buffer": BUFFER, "stalls": STALLS})
    summary = streams.summarize(results, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["buffer.png", "bytes.png", "quality.png"]
    assert [group["runs"] for group in summary.values["streams"]] == [2]
    assert len(summary.tables) == 1


@pytest.mark.parametrize("plot", [stream_figures.plot_buffer, stream_figures.plot_bytes, stream_figures.plot_quality])
@pytest.mark.parametrize(
    "patterns", [[("a", "mmwave"), ("b", "lte")], [("one", ""), ("a-much-longer-name", ""), ("c", "")]]
)
def test_figures_are_drawn(tmp_path, plot, patterns):
    nothing = (BUFFER[:0], STALLS[:0])
    traces = [stream_figures.StreamTrace(*pattern, BUFFER, STALLS) for pattern in patterns]
    plot([*traces, stream_figures.StreamTrace("a", "mmwave", *nothing)], tmp_path / "p.png", "title")
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_a_row_has_means_in_the_units_of_the_header():
    first = {"startup_s": 1.0, "stalls": 1, "stall_s": 2.25, "bitrate_mean_bps": 4e6, "buffer_mean_s": 9.04,
             "qoe_bps": 2.5e6, "start_at_s": 5.0}  # fmt: skip
    second = {"startup_s": 2.5, "stalls": 2, "stall_s": 2.75, "bitrate_mean_bps": 2e6, "buffer_mean_s": 9.14,
              "qoe_bps": 1.5e6, "start_at_s": 5.0}  # fmt: skip
    table = streams.play_table(groups(runs(first, second)))
    assert tuple(table.header) == (
        "pattern", "from", "start-up [s]", "stalls", "stalled [s]", "video [Mbit/s]", "95 % interval, or runs",
        "switches",
        "buffer [s]", "QoE", "runs", "",
    )  # fmt: skip
    assert table.rows == [
        ("p", "5 s", "1.75", "1.5", "2.5", "3.00", "4.00, 2.00", "3.0", "9.1", "2.00", 2, ""),
    ]  # fmt: skip
    assert tuple(table.right) == tuple(range(1, 11))


@pytest.mark.parametrize("key", ["pattern", "rat", "film", "ladder", "player", "abr"])
def test_plays_of_another_setting_are_another_group(key):
    found = groups(runs({}, {key: "other"}))
    assert [group.keys[key] for group in found] == [found[0].keys[key], "other"]
    assert len(found) == 2


def test_these_metrics_of_a_play_have_means():
    assert streams.METRICS == (
        "startup_s", "stalls", "stall_s", "cpu_stall_s", "bitrate_mean_bps", "switches", "buffer_mean_s", "qoe_bps",
    )  # fmt: skip
