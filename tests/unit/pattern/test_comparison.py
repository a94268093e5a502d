"""Comparison of patterns and traces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern import convert
from mmwemu.pattern.comparison import draw, likeness, phases, series
from mmwemu.pattern.comparison.series import BIN_S, Series
from mmwemu.trace.model import Trace
from tests.patterns import make_pattern


def a_trace(throughput_bps, delay_s, bin_s=0.001, **meta):
    n = len(throughput_bps)
    zero = np.zeros(n)
    rates = np.array(throughput_bps, dtype=float)
    about = {"payload_bytes": 1400, "header_bytes": 28, **meta}
    return Trace(
        np.arange(n) * bin_s, zero, zero, zero, rates, rates, zero, np.array(delay_s, dtype=float), zero, about
    )


def test_a_pattern_becomes_the_means_of_its_bins():
    pattern = make_pattern([8e6, 0.0], step_s=0.015)
    found = series.of_pattern("p", pattern, "downlink", 0.045)
    assert found.rate_bps == pytest.approx([8e6, 4e6, 0.0, 8e6])  # it loops at 0.03; the fifth bin is not whole


def test_a_trace_has_headers_and_delays_by_bytes():
    found = series.of_trace("t", a_trace([1.4e6] * 9 + [0] + [0] * 10, [0.01] * 4 + [0.02] * 5 + [np.nan] * 11))
    assert found.rate_bps == pytest.approx([1.428e6 * 0.9, 0.0])
    assert found.delay_s[0] == pytest.approx((4 * 0.01 + 5 * 0.02) / 9)
    assert np.isnan(found.delay_s[1])


def test_packets_count_in_the_bin_of_their_arrival():
    found = series.of_packets("r", np.array([0.001, 0.009, 0.021, 9.0]), np.array([0.1, 0.3, 0.2, 1.0]),
                              np.array([1000.0, 3000.0, 500.0, 1.0]), 0.03)  # fmt: skip
    assert found.rate_bps == pytest.approx([3.2e6, 0.0, 0.4e6])
    assert found.delay_s == pytest.approx([0.25, np.nan, 0.2], nan_ok=True)


@pytest.mark.parametrize(
    ("trace", "problem"),
    [
        (a_trace([1e6] * 30, [0.0] * 30, bin_s=0.003), "t: time_s: has bins of 0.003 s; a whole number"),
        (a_trace([np.nan] * 30, [0.0] * 30), "t: throughput_bps: has rows without a value"),
        (a_trace([1e6] * 30, [0.0] * 30, bin_s=0.02), "has bins of 0.02 s"),
    ],
)
def test_a_trace_that_cannot_be_compared_is_refused(trace, problem):
    with pytest.raises(InputError) as caught:
        series.of_trace("t", trace)
    assert problem in str(caught.value)


def test_an_unlimited_or_endless_pattern_is_refused():
    with pytest.raises(InputError, match="p: has an unlimited rate"):
        series.of_pattern("p", make_pattern([1e6, np.inf]), "downlink", 1.0)
    with pytest.raises(InputError, match="lasts 2000000 s; at most 100000 s can be compared"):
        series.of_pattern("p", make_pattern([1e6]), "downlink", 2e6)


def test_phases_are_told_by_start_and_length():
    rates = np.array([100.0] * 10 + [0.5] * 6 + [100.0] * 4 + [0.0] * 4 + [100.0])
    assert phases.outages(rates, 0.01, 100.0) == [pytest.approx((0.1, 0.06))]
    wide = np.array([100.0, 30.0, 60.0, 30.0, 100.0, 60.0, 20.0, 100.0, 100.0, 20.0])
    assert phases.nlos_phases(wide, 0.1, 100.0) == [
        pytest.approx((0.1, 0.3)),  # a recovery of one bin does not end it
        pytest.approx((0.6, 0.1)),
        pytest.approx((0.9, 0.1)),
    ]


def test_a_series_compared_with_itself_is_the_same():
    rates = np.tile([1e6, 3e6, 2e6, 0.0, 5e6], 20)
    one = Series("one", rates, np.where(rates > 0, rates * 1e-9, np.nan))
    found = likeness.compare(one, [one]).others[0]
    assert found.rate_correlation == {0.01: pytest.approx(1.0), 0.1: None}  # 100 ms means never change
    assert found.rate_rmse_bps == {0.01: 0.0, 0.1: 0.0}
    assert found.delay_rmse_s == {0.01: 0.0, 0.1: 0.0}
    assert found.delay_quantiles_s[0.99] == 5e-3


def test_errors_are_root_mean_squares_from_the_first_whole_tenth_after_the_first_byte():
    reference = Series("a", np.array([0.0] * 12 + [2e6] * 88))
    other = Series("b", np.array([9e9] * 20 + [3e6] * 40 + [1e6] * 40))
    found = likeness.compare(reference, [other])
    assert (found.begin_s, found.end_s) == (0.2, 1.0)
    assert found.others[0].rate_rmse_bps == pytest.approx({0.01: 1e6, 0.1: 1e6})
    assert found.others[0].rate_correlation == {0.01: None, 0.1: None}


def test_what_has_too_little_in_common_is_refused():
    long, short = Series("a", np.ones(100)), Series("b", np.ones(49))
    with pytest.raises(InputError, match=r"a and b: have 0.4 s in common; at least 0.5 s are needed"):
        likeness.compare(long, [short])
    with pytest.raises(InputError, match="never has a rate above 0"):
        likeness.compare(Series("a", np.zeros(100)), [long])


@given(st.lists(st.floats(0, 1e9), min_size=50, max_size=200), st.integers(1, 5))
def test_means_keep_the_bytes(values, count):
    rates = np.array(values[: len(values) // count * count])
    assert Series("a", rates).wider(count).rate_bps.sum() * count == pytest.approx(rates.sum())


def test_windows_lose_nothing_and_two_levels_lose_the_fading():
    random = np.random.default_rng(1)
    rates = np.concatenate([np.full(1000, 9e8), random.uniform(1e8, 5e8, 100).repeat(20), np.full(1000, 9e8)])
    trace = a_trace(rates, np.full(len(rates), 0.01))
    trace = Trace(**{**trace.columns(), "sinr_db": np.where(rates == 9e8, 30.0, 0.0)}, meta=trace.meta)
    window, segments = (
        series.of_pattern(method, convert.convert(trace, convert.Conversion(method)), "downlink", trace.duration_s)
        for method in ("window", "segments")
    )
    found = likeness.compare(series.of_trace("t", trace), [window, segments])
    assert found.others[0].rate_correlation[0.01] > 0.999999
    assert found.others[0].rate_rmse_bps[0.01] < 1
    assert 0.9 < found.others[1].rate_correlation[0.01] < 0.99
    assert [len(one.nlos_phases) for one in (found.reference, *found.others)] == [1, 1, 1]


def test_a_comparison_is_drawn(tmp_path):
    one = Series("one", np.full(int(1 / BIN_S), 1e6), np.full(int(1 / BIN_S), 0.01))
    draw.plot(likeness.compare(one, [one, one]), tmp_path / "c.png")
    assert (tmp_path / "c.png").stat().st_size > 10_000
