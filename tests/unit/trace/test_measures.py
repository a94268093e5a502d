from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.trace import measures


def test_levels_are_told_by_line_of_sight(make_trace):
    found = measures.summary(make_trace([1] * 60 + [0] * 40))
    assert found.share == {"los": 0.6, "nlos": 0.4}
    assert found.los_changes_s == [0.06]
    assert found.level("nlos", "throughput_bps") == measures.Level(
        "nlos", "throughput_bps", 40, 300e6, 300e6, 300e6, 300e6, 40 * 300e6, 300e6, 300e6
    )
    assert found.level("all", "sinr_db").mean == pytest.approx(18)
    assert found.level("all", "sinr_db").p05 == 0
    assert found.level("all", "sinr_db").p95 == 30


def test_bins_before_the_traffic_count_for_the_sinr_alone(make_trace):
    trace = make_trace([1, 1, 1, 1], throughput_bps=[0, 0, 100, 0])
    found = measures.summary(trace)
    assert (found.level("all", "sinr_db").bins, found.level("all", "throughput_bps").bins) == (4, 2)
    assert found.level("all", "throughput_bps").mean == 50


def test_unknown_line_of_sight_has_no_states(make_trace):
    trace = replace(make_trace([1, 1]), los=np.full(2, np.nan))
    found = measures.summary(trace)
    assert (found.share, found.los_changes_s) == ({}, [])
    assert {level.state for level in found.levels} == {"all"}


def test_a_bin_that_does_not_know_keeps_the_state(make_trace):
    trace = replace(make_trace([1, 1, 1, 1]), los=np.array([1, np.nan, 0, np.nan]))
    assert measures.los_changes_s(trace).tolist() == [0.002]


def test_optional_columns_have_levels(make_trace):
    trace = replace(make_trace([1, 0]), optional={"cwnd_bytes": np.array([10.0, 20.0])})
    assert measures.summary(trace).level("all", "cwnd_bytes").mean == 15


def test_traces_are_compared_over_their_common_time(make_trace):
    one = make_trace([1] * 300 + [0] * 300 + [1] * 200)
    two = make_trace([1] * 310 + [0] * 290, throughput_bps=np.linspace(9e8, 1e8, 600))
    found = measures.compare(one, two)
    assert found.los_changes_s == [(0.3, 0.31), (0.6, None)]
    low, high = measures.window_means(one, "sinr_db", 6), measures.window_means(two, "sinr_db", 6)
    assert found.correlation["sinr_db"] == pytest.approx(np.corrcoef(low, high)[0, 1])
    assert "delay_s" not in found.correlation  # it does not change
    assert found.second.level("los", "sinr_db").p50 == 30


def test_equal_traces_correlate_fully(make_trace):
    trace = make_trace([1] * 300 + [0] * 300)
    assert measures.compare(trace, trace).correlation["throughput_bps"] == pytest.approx(1)


def test_windows_without_a_value_are_nan(make_trace):
    trace = replace(make_trace([1] * 300), delay_s=np.r_[np.full(100, np.nan), np.full(200, 0.01)])
    assert np.isnan(measures.window_means(trace, "delay_s", 3)).tolist() == [True, False, False]


def test_what_is_too_short_or_coarse_is_not_compared(make_trace):
    with pytest.raises(InputError, match=r"compare: needs traces of at least 0.2 s, with bins of at most 0.1 s"):
        measures.compare(make_trace([1] * 150), make_trace([1] * 900))
    with pytest.raises(InputError, match="compare: needs traces"):
        measures.compare(make_trace([1] * 10, bin_s=0.5), make_trace([1] * 900))
