from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core import figure
from mmwemu.core.errors import InputError
from mmwemu.report import trace_figures


@pytest.fixture
def drawn(monkeypatch):
    """Keep each figure that is saved."""
    kept = []
    monkeypatch.setattr(figure, "save", lambda drawing, path: kept.append(drawing))
    return kept


def labels(drawing):
    return [axes.get_ylabel() for axes in drawing.axes]


def test_a_trace_is_drawn_with_the_columns_that_it_has(make_trace, drawn, tmp_path):
    trace = make_trace([1] * 200 + [0] * 200)
    trace_figures.plot(trace, tmp_path / "t.png")
    more = replace(trace, optional={"cwnd_bytes": np.full(400, 3e6), "rtt_s": np.full(400, np.nan)})
    trace_figures.plot(more, tmp_path / "t.png")
    assert labels(drawn[0]) == ["SINR [dB]", "rate [Mbit/s]", "delay [ms]", "size [MB]", "number"]
    size = drawn[1].axes[3]
    assert [line.get_label() for line in size.lines] == ["RLC buffer", "congestion window"]
    assert size.lines[1].get_ydata().tolist() == [3.0] * 4
    assert [line.get_label() for line in drawn[1].axes[2].lines] == ["one-way delay"]


def test_a_trace_without_values_is_drawn(make_trace, tmp_path):
    none = np.full(3, np.nan)
    trace = replace(make_trace([1] * 3), **dict.fromkeys(
        ("los", "sinr_db", "mcs", "phy_rate_bps", "throughput_bps", "rlc_queue_bytes", "delay_s", "drops"), none
    ))  # fmt: skip
    trace_figures.plot(trace, tmp_path / "t.png")
    assert (tmp_path / "t.png").stat().st_size > 1000


def test_two_traces_are_drawn_over_each_other(make_trace, drawn, tmp_path):
    trace_figures.plot_pair(make_trace([1] * 300), make_trace([0] * 500), ("a", "b"), tmp_path / "t.svg")
    throughput = drawn[0].axes[1]
    assert [line.get_label() for line in throughput.lines] == ["a", "b"]
    assert throughput.lines[1].get_ydata().tolist() == [300.0] * 5


def test_no_picture_of_another_kind(make_trace, tmp_path):
    with pytest.raises(InputError, match="is not a picture file"):
        trace_figures.plot(make_trace([1] * 3), tmp_path / "t.txt")
