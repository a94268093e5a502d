import math

import pandas as pd
import pytest

from mmwemu.apps.stream import figures as stream_figures
from mmwemu.apps.stream import summary as streams


def runs(*rows):
    base = dict.fromkeys(streams.METRICS, 1.0) | {
        "pattern": "p", "rat": "lte", "start_at_s": 0.0, "film": "bunny", "ladder": "1080p", "player": "browser",
        "abr": "dynamic", "status": "ok", "valid": True, "cpu_bound": False, "switches_up": 2, "switches_down": 1,
    }  # fmt: skip
    return pd.DataFrame([base | row for row in rows])


def test_means_leave_out_what_failed_or_was_not_valid():
    rows = [{"stall_s": 3.0}, {"stall_s": 9.0, "valid": False}, {"status": "failed", "startup_s": None}, {}]
    (group,) = streams.stream_table(runs(*rows))
    assert (group.runs, group.failed, group.invalid) == (4, 1, 1)
    assert group.metrics["stall_s"].mean == 2.0
    assert group.metrics["switches"].mean == 3.0


def test_a_film_that_did_not_begin_counts_with_what_it_has():
    (group,) = streams.stream_table(runs({"status": "timeout", "startup_s": None, "bitrate_mean_bps": None}))
    assert group.timeouts == 1
    assert math.isnan(group.metrics["startup_s"].mean)


def test_cpu_bound_plays_count_unless_asked():
    table = runs({"stall_s": 3.0, "cpu_bound": True}, {"stall_s": 1.0})
    assert streams.stream_table(table)[0].metrics["stall_s"].mean == 2.0
    (group,) = streams.stream_table(table, exclude_cpu_bound=True)
    assert (group.metrics["stall_s"].mean, group.cpu_bound) == (1.0, 1)


@pytest.mark.parametrize("plot", [stream_figures.plot_buffer, stream_figures.plot_bytes, stream_figures.plot_quality])
@pytest.mark.parametrize(
    "patterns", [[("a", "mmwave"), ("b", "lte")], [("one", ""), ("a-much-longer-name", ""), ("c", "")]]
)
def test_figures_are_drawn(tmp_path, plot, patterns):
    buffer = pd.DataFrame(
        {
            "time_s": [0.1, 0.2],
            "buffer_s": [1.0, 2.0],
            "received_bytes": [1.0, 2.0],
            "played_bytes": [0.0, 1.0],
            "rate_bps": [1e6, float("nan")],
            "throughput_bps": [2e6, 2e6],
        }
    )
    stalls = pd.DataFrame({"start_s": [0.1, 0.2], "duration_s": [0.1, 0.1], "cause": ["network", "cpu"]})
    nothing = (buffer[:0], stalls[:0])
    traces = [stream_figures.StreamTrace(*pattern, buffer, stalls) for pattern in patterns]
    plot([*traces, stream_figures.StreamTrace("a", "mmwave", *nothing)], tmp_path / "p.png", "title")
    assert (tmp_path / "p.png").stat().st_size > 1000
