"""SINR and throughput of cells as a figure of the page."""

import numpy as np
import pytest

from mmwemu.report.page.trace_figures import trace_figure
from mmwemu.scenario import read
from mmwemu.simulate.fake import FakeEngine


def test_times_without_line_of_sight_are_spans_and_rates_are_means_over_100_ms(tmp_path):
    scenario = read.load("s1-long-nlos")
    traces = {rat: FakeEngine().simulate(scenario, rat, 1) for rat in ("mmwave", "lte")}
    figure = trace_figure("cell", "Cell", traces)
    ((begin, end),) = figure.data["spans"].to_numpy()
    known = traces["mmwave"].time_s[traces["mmwave"].los == 0]
    assert (begin, end) == pytest.approx((known[0], known[-1]), abs=0.02)
    means = figure.data["means"].query("series == '5G mmWave'")
    assert len(means) == 400
    inside = (traces["mmwave"].time_s >= 10) & (traces["mmwave"].time_s < 10.0999)
    row = means[np.isclose(means["time"], 10.0)].iloc[0]
    assert row["throughput"] == pytest.approx(traces["mmwave"].throughput_bps[inside].mean() / 1e6, rel=0.02)
    files = {path.suffix for path in figure.save(tmp_path)}
    assert files == {".png", ".pdf", ".svg", ".csv"}
