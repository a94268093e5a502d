"""The conversion methods beside segments and window, and what a pattern takes from the radio network."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern import measures
from mmwemu.pattern.conversion import radio, registry
from mmwemu.pattern.conversion.changepoints import MOST_WINDOWS, ChangePoints, fewest
from mmwemu.pattern.conversion.quantile import Quantile
from mmwemu.pattern.conversion.series import Series
from mmwemu.pattern.conversion.window import Window, window_starts
from mmwemu.pattern.convert import Conversion, convert
from mmwemu.pattern.formats import native
from mmwemu.trace.model import Trace

HEADERS = 1428 / 1400
PHY = "phy_rate_bps"
rates = st.lists(st.sampled_from([0.0, 1e6, 5e6]) | st.floats(0, 1e9), min_size=2, max_size=40)


def trace_of(phy_bps, **optional):
    n = len(phy_bps)
    one, phy = np.ones(n), np.array(phy_bps, dtype=float)
    return Trace(np.arange(n) * 1e-3, one, one * 30, one, phy, phy, one, one, one, {}, optional)


def with_columns(trace, **optional):
    return replace(trace, optional={name: np.asarray(values, dtype=float) for name, values in optional.items()})


@given(rates, st.floats(0, 1), st.integers(1, 50))
def test_quantile_is_that_of_the_bins_of_each_window(phy_bps, share, length):
    trace = trace_of(phy_bps)
    starts, found = Quantile(share, length * 1e-3).steps(trace, Series(trace.phy_rate_bps, np.ones(len(phy_bps))))
    windows = np.split(trace.phy_rate_bps, starts[1:])
    assert found == pytest.approx([np.quantile(one, share) for one in windows], abs=1e-3)


def test_quantile_leaves_out_the_bins_before_the_traffic(make_trace):
    rate = [0] * 12 + [40e6] + [100e6, 300e6] * 4 + [0, 0, 50e6]
    trace = make_trace([1] * 24, throughput_bps=rate)
    pattern = convert(trace, Conversion(Quantile(0.0, 0.006)))
    assert pattern.time_s.tolist() == [0, 0.018]
    assert pattern.downlink.rate_bps == pytest.approx(np.array([100e6, 0]) * HEADERS)
    assert pattern.meta["conversion"]["quantile"] == 0.0


def by_trying(values, weights, error):
    """Give number of steps and sum of squares of the best of all divisions."""
    best = (len(values) + 1, 0.0)
    for cuts in range(2 ** (len(values) - 1)):
        edges = [0, *(i for i in range(1, len(values)) if cuts >> (i - 1) & 1), len(values)]
        parts = [slice(a, b) for a, b in pairwise(edges)]
        levels = [np.average(values[part], weights=weights[part]) for part in parts]
        if all(np.abs(values[p] - level).max() <= error + 1e-9 for p, level in zip(parts, levels, strict=True)):
            squares = sum((weights[p] * (values[p] - level) ** 2).sum() for p, level in zip(parts, levels, strict=True))
            best = min(best, (len(parts), float(squares)))
    return best


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 3)), min_size=1, max_size=9),
    st.sampled_from([0.1, 0.6, 1.7, 3.1, 6.3, 100]),
)
def test_changepoints_are_the_fewest_of_all_divisions(pairs, error):
    values, weights = np.array(pairs, dtype=float).T
    starts = fewest(values, weights, error)
    mass = np.add.reduceat(weights, starts)
    levels = np.repeat(np.add.reduceat(values * weights, starts) / mass, np.diff(starts, append=len(values)))
    steps, squares = by_trying(values, weights, error)
    assert len(starts) == steps
    assert (weights * (values - levels) ** 2).sum() == pytest.approx(squares, abs=1e-6)


@given(rates, st.sampled_from([0.0, 0.01, 0.1, 0.5, 2.0]), st.integers(1, 8))
def test_no_window_is_further_from_its_step_than_the_error_and_bytes_are_kept(phy_bps, share, length):
    trace = trace_of(phy_bps)
    pattern = convert(trace, Conversion(ChangePoints(share, length * 1e-3), PHY))
    starts = window_starts(trace, length * 1e-3)
    windows = Window(length * 1e-3).steps(trace, Series(trace.phy_rate_bps, np.ones(len(phy_bps)))).rate_bps
    mean_bps = trace.phy_rate_bps.mean()
    held = pattern.downlink.rate_bps[np.searchsorted(pattern.time_s, trace.time_s[starts] + 1e-6) - 1]
    assert np.all(np.abs(windows - held) <= share * mean_bps + 0.51)
    assert measures.mean_rate_bps(pattern, pattern.downlink.rate_bps) == pytest.approx(mean_bps, abs=0.51)


def test_changepoints_find_two_levels_in_noise(make_trace):
    noise = np.random.default_rng(1).uniform(-20e6, 20e6, 4000)
    levels = np.where(np.arange(4000) < 2500, 300e6, 900e6)
    trace = make_trace([1] * 4000, throughput_bps=(levels + noise) / 1.2)
    pattern = convert(trace, Conversion(ChangePoints(), PHY))
    assert pattern.time_s.tolist() == [0, 2.5]
    assert pattern.downlink.rate_bps == pytest.approx([300e6, 900e6], rel=0.01)


def test_changepoints_refuse_more_windows_than_they_take(make_trace):
    trace = make_trace(np.ones(MOST_WINDOWS + 1))
    with pytest.raises(InputError, match="makes 50001 windows; changepoints takes at most 50000: choose longer ones"):
        convert(trace, Conversion(ChangePoints(window_s=0.001), PHY))


def test_phy_takes_what_the_mac_could_give_and_nothing_else(make_trace):
    pattern = convert(make_trace([1] * 20), Conversion("phy"))
    assert pattern.downlink.rate_bps.tolist() == [1200e6]
    assert pattern.meta["conversion"] == {"method": "phy", "source": PHY, "window_s": 0.01}
    with pytest.raises(InputError, match="source: is throughput_bps, but phy takes phy_rate_bps alone"):
        convert(make_trace([1] * 20), Conversion("phy", "throughput_bps"))


def test_a_method_is_named_with_its_parameters():
    assert registry.named("quantile", window_s=1.0) == Quantile(window_s=1.0)
    with pytest.raises(InputError, match="method: is 'pelt'; must be one of segments, window, quantile, changepoints"):
        registry.named("pelt")
    with pytest.raises(InputError, match="quantile: is no parameter of the method window"):
        registry.named("window", quantile=0.5)
    with pytest.raises(InputError, match=r"quantile: is 1.5; must be from 0 to 1$"):
        registry.named("quantile", quantile=1.5)


def test_the_uplink_of_the_trace_has_steps_of_its_own(make_trace):
    trace = with_columns(make_trace([1] * 6), uplink_phy_rate_bps=[7e6] * 2 + [9e6] * 4)
    pattern = convert(trace, Conversion(ChangePoints(window_s=0.001), uplink="trace"))
    assert pattern.time_s.tolist() == [0, 0.002]
    assert pattern.downlink.rate_bps == pytest.approx([1000e6 * HEADERS] * 2)
    assert pattern.uplink.rate_bps.tolist() == [7e6, 9e6]
    assert pattern.meta["conversion"]["uplink"] == "trace"
    with pytest.raises(InputError, match="trace: uplink_phy_rate_bps: is no column of this trace; use the downlink's"):
        convert(make_trace([1] * 6), Conversion(uplink="trace"))
    with pytest.raises(InputError, match="uplink_phy_rate_bps: has no value in row 2"):
        convert(with_columns(make_trace([1] * 2), uplink_phy_rate_bps=[1, np.nan]), Conversion(uplink="trace"))


def test_the_delay_is_that_of_bins_without_a_queue(make_trace):
    # 1200 Mbit/s send 150 kB in a bin. Packets of bin 3 waited behind the queue that stood at its begin.
    trace = with_columns(make_trace([1] * 9), ran_delay_s=[np.nan, 2e-3, 9e-3, 9e-3, 9e-3, 4e-3, 6e-3, 8e-3, 1e-3])
    trace = replace(trace, rlc_queue_bytes=np.array([0, 0, 150_001, 150_000, 200_000, 0, 0, 0, 0.0]))
    assert radio.unqueued(trace).tolist() == [False, True, False, False, False, False, True, True, True]
    pattern = convert(trace, Conversion(Window(0.003), delay="ran"))
    assert pattern.time_s.tolist() == [0, 0.006]
    assert pattern.downlink.delay_s.tolist() == pattern.uplink.delay_s.tolist() == [2e-3, 6e-3]
    assert pattern.meta["conversion"]["delay"] == "ran"
    assert radio.unqueued_share(trace).startswith("the RAN latency without a queue is known in 44.4 % of the bins")


def test_steps_before_the_first_known_delay_take_it(make_trace):
    trace = with_columns(make_trace([1] * 4), ran_delay_s=[np.nan, np.nan, 3e-3, np.nan])
    pattern = convert(trace, Conversion(Window(0.001), delay="ran"))
    assert (pattern.time_s.tolist(), pattern.downlink.delay_s.tolist()) == ([0], [3e-3])


def test_a_delay_that_the_trace_does_not_tell_is_refused(make_trace):
    with pytest.raises(InputError, match="trace: ran_delay_s: is no column of this trace; its simulation does not"):
        convert(make_trace([1] * 4), Conversion(delay="ran"))
    trace = with_columns(replace(make_trace([1] * 4), rlc_queue_bytes=np.full(4, 1e9)), ran_delay_s=[1e-3] * 4)
    with pytest.raises(InputError, match="ran_delay_s: has no bin without a queue; simulate with a traffic rate below"):
        convert(trace, Conversion(delay="ran"))


def test_losses_are_the_downlinks_share_of_packets(make_trace):
    # 1120 Mbit/s are 100 packets of 1400 bytes in a bin.
    trace = make_trace([1] * 6, throughput_bps=[1120e6, 1120e6, 0, 0, 0, 0])
    trace = with_columns(trace, rlc_losses=[100, np.nan, 7, 0, 0, 0])
    pattern = convert(trace, Conversion(Window(0.002), PHY, loss="rlc"))
    assert pattern.time_s.tolist() == [0, 0.002, 0.004]
    assert pattern.downlink.loss == pytest.approx([1 / 3, 1, 0])
    assert pattern.uplink.loss.tolist() == [0, 0, 0]
    assert "[source.conversion]" in native.dumps(pattern)
    with pytest.raises(InputError, match="trace: rlc_losses: is no column of this trace"):
        convert(make_trace([1] * 4), Conversion(loss="rlc"))
