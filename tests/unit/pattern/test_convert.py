import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern import measures
from mmwemu.pattern.conversion.segments import Segments
from mmwemu.pattern.conversion.window import Window
from mmwemu.pattern.convert import Conversion, constant, convert

HEADERS = 1428 / 1400


def test_segments_are_the_los_intervals_with_their_means(make_trace):
    pattern = convert(make_trace([1] * 50 + [0] * 30 + [1] * 20), Conversion())
    assert pattern.time_s.tolist() == [0, 0.05, 0.08]
    assert pattern.duration_s == pytest.approx(0.1)
    assert pattern.downlink.rate_bps == pytest.approx(np.array([1000e6, 300e6, 1000e6]) * HEADERS, abs=1)
    assert pattern.uplink.rate_bps.tolist() == pattern.downlink.rate_bps.tolist()


def test_segments_follow_the_sinr_not_the_ray(make_trace):
    pattern = convert(make_trace([1] * 10, sinr_db=[30] * 5 + [19.9] * 5), Conversion())
    assert pattern.time_s.tolist() == [0, 0.005]
    assert (
        len(convert(make_trace([1] * 10, sinr_db=[30] * 5 + [19.9] * 5), Conversion(Segments(threshold_db=19))).time_s)
        == 1
    )


def test_a_change_within_the_hold_off_does_not_count(make_trace):
    sinr_db = [30, 30, 30, 0, 30, 0, 0, 0, 30, 30]
    assert convert(make_trace([1] * 10, sinr_db=sinr_db), Conversion(Segments(hold_off_s=0.0))).time_s.tolist() == [
        0, 0.003, 0.004, 0.005, 0.008,
    ]  # fmt: skip
    # The change back at 4 ms comes 1 ms after the one at 3 ms, not later: it is not taken, and at 5 ms there is none.
    assert convert(make_trace([1] * 10, sinr_db=sinr_db), Conversion()).time_s.tolist() == [0, 0.003, 0.008]


def test_a_bin_without_sinr_keeps_the_state(make_trace):
    pattern = convert(make_trace([1] * 6, sinr_db=[np.nan, 30, np.nan, np.nan, 0, np.nan]), Conversion())
    assert pattern.time_s.tolist() == [0, 0.004]


def test_phy_rate_needs_no_headers(make_trace):
    pattern = convert(make_trace([1] * 10), Conversion(source="phy_rate_bps"))
    assert pattern.downlink.rate_bps.tolist() == [1200e6]
    assert "headers" not in pattern.meta["conversion"]


def test_the_head_says_that_headers_were_added(make_trace):
    conversion = convert(make_trace([1] * 10), Conversion()).meta["conversion"]
    assert conversion["headers"] == "28 bytes of IP and UDP added to each 1400 of payload"


def test_bins_before_the_first_packet_are_left_out(make_trace):
    rate = [0] * 12 + [40e6] + [100e6] * 17
    pattern = convert(make_trace([1] * 30, throughput_bps=rate), Conversion(Window(0.010)))
    assert pattern.downlink.rate_bps == pytest.approx([100e6 * HEADERS])
    assert pattern.time_s.tolist() == [0]


def test_outage_by_the_rule_of_the_scenario_or_the_option(make_trace):
    rate = [100e6] * 10 + [1e6] * 10
    trace = make_trace([1] * 10 + [0] * 10, throughput_bps=rate, outage={"below_bps": 5e6, "packets": "drop"})
    pattern = convert(trace, Conversion())
    assert pattern.downlink.rate_bps[1] == 0
    assert pattern.outage == "drop"
    assert pattern.meta["conversion"]["outage_below_bps"] == 5e6
    other = convert(trace, Conversion(outage_below_bps=0, outage="hold"))
    assert other.downlink.rate_bps[1] > 0
    assert other.outage == "hold"


def test_a_window_below_one_bin_is_refused(make_trace):
    with pytest.raises(InputError, match=r"window: is 0.0005 s; must be at least one bin of the trace, 0.001 s"):
        convert(make_trace([1] * 10), Conversion(Window(0.0005)))


@pytest.mark.parametrize("window_s", [0.0, -1.0, math.inf, math.nan])
def test_a_window_beyond_all_bounds_is_refused(window_s):
    with pytest.raises(InputError, match=r"window_s: is .*; must be from 1e-06 to 2592000 s"):
        Window(window_s)


def test_missing_values_are_refused(make_trace):
    with pytest.raises(InputError, match="throughput_bps: has no value in row 3"):
        convert(make_trace([1] * 4, throughput_bps=[1, 1, np.nan, 1]), Conversion())
    with pytest.raises(InputError, match="sinr_db: has no values; use --method window"):
        convert(make_trace([1] * 4, sinr_db=[np.nan] * 4), Conversion())


@given(
    rates=st.lists(st.integers(1, 10**9), min_size=5, max_size=200),
    window=st.integers(1, 50),
)
def test_window_keeps_the_bits_of_the_trace(rates, window):
    from mmwemu.trace.model import Trace

    n = len(rates)
    one = np.ones(n)
    rate = np.array([rates[0], rates[0], *rates[2:]], dtype=float)
    trace = Trace(np.arange(n) * 1e-3, one, one * 30, one, rate, rate, one, one, one, {})
    pattern = convert(trace, Conversion(Window(window * 1e-3), source="phy_rate_bps"))
    bits = measures.mean_rate_bps(pattern, pattern.downlink.rate_bps) * pattern.duration_s
    assert bits == pytest.approx(rate.sum() * 1e-3, abs=0.5 * pattern.duration_s + 1e-6)
    assert np.all(np.diff(pattern.time_s) > 0)


def test_constant():
    pattern = constant(5e6, 3.0)
    assert measures.mean_rate_bps(pattern, pattern.downlink.rate_bps) == 5e6
    with pytest.raises(InputError, match="downlink_rate_bps: is -1; must be from 0 to "):
        constant(-1, 3.0)
    with pytest.raises(InputError, match="not before 0 s"):
        constant(1, 0.0)


def test_the_head_says_how_the_pattern_was_made(make_trace):
    trace = make_trace([1] * 10, outage={"below_bps": 5e6, "packets": "drop"}, engine="e", scenario_hash="00", x=1)
    pattern = convert(trace, Conversion())
    assert pattern.meta == {
        "scenario": "t", "scenario_hash": "00", "rat": "mmwave", "engine": "e", "seed": 1,
        "conversion": {
            "method": "segments", "source": "throughput_bps", "threshold_db": 20.0, "hold_off_s": 0.001,
            "headers": "28 bytes of IP and UDP added to each 1400 of payload", "outage_below_bps": 5e6,
        },
    }  # fmt: skip
    assert (pattern.end, pattern.outage) == ("loop", "drop")
    window = convert(make_trace([1] * 10), Conversion(method="window", source="phy_rate_bps", end="stop"))
    assert window.meta["conversion"] == {"method": "window", "source": "phy_rate_bps", "window_s": 0.01}
    assert (window.end, window.outage) == ("stop", "hold")


def test_times_are_whole_nanoseconds(make_trace):
    pattern = convert(make_trace([1, 0, 1], bin_s=2 / 3), Conversion())
    assert (pattern.time_s.tolist(), pattern.duration_s) == ([0, 0.666666667, 1.333333333], 2.0)
    assert convert(make_trace([1, 1, 1, 1], bin_s=1 / 6), Conversion()).duration_s == 0.666666667


def test_the_last_window_may_be_shorter(make_trace):
    rates = np.array([1, 1, 1, 2, 2, 2, 3, 3, 3, 7]) * 1e6 / 1.2
    options = Conversion(Window(0.003), source="phy_rate_bps")
    pattern = convert(make_trace([1] * 10, throughput_bps=rates), options)
    assert pattern.time_s.tolist() == [0, 0.003, 0.006, 0.009]
    assert pattern.downlink.rate_bps.tolist() == [1e6, 2e6, 3e6, 7e6]
    one = convert(make_trace([1] * 10, throughput_bps=rates), Conversion(Window(1.0), "phy_rate_bps"))
    assert (one.time_s.tolist(), one.downlink.rate_bps.tolist()) == ([0], [2.5e6])


def test_a_window_may_be_one_bin(make_trace):
    rates = np.arange(1, 6) * 1e6 / 1.2
    pattern = convert(make_trace([1] * 5, throughput_bps=rates), Conversion(Window(0.001), "phy_rate_bps"))
    assert pattern.time_s.tolist() == [0, 0.001, 0.002, 0.003, 0.004]
    with pytest.raises(InputError) as caught:
        convert(make_trace([1] * 5), Conversion(Window(0.00099)))
    assert str(caught.value) == "window: is 0.00099 s; must be at least one bin of the trace, 0.001 s"


def test_a_sinr_at_the_threshold_is_line_of_sight(make_trace):
    assert len(convert(make_trace([1] * 4, sinr_db=[30, 20, 20, 30]), Conversion()).time_s) == 1


def test_a_rate_at_the_limit_is_no_outage(make_trace):
    trace = make_trace([1] * 4 + [0] * 4, throughput_bps=[6e6] * 4 + [5e6] * 4)
    rates = [convert(trace, Conversion(source="phy_rate_bps", outage_below_bps=below)) for below in (6e6, 6.001e6)]
    assert [each.downlink.rate_bps.tolist() for each in rates] == [[7.2e6, 6e6], [7.2e6, 0]]


def test_a_queue_without_throughput_is_traffic_too(make_trace):
    # Packets wait from the third bin on; that bin is part of the start.
    rate = np.array([0, 0, 0, 3e6, 5e6, 5e6])
    trace = replace(make_trace([1] * 6, throughput_bps=rate), rlc_queue_bytes=np.array([0, 0, 9.0, 9, 9, 9]))
    pattern = convert(trace, Conversion(Window(0.006)))
    assert pattern.downlink.rate_bps == pytest.approx([np.mean([3e6, 5e6, 5e6]) * HEADERS], abs=1)


def test_a_trace_that_never_delivers_keeps_all_its_bins(make_trace):
    pattern = convert(make_trace([1] * 4 + [0] * 4, throughput_bps=[0] * 8), Conversion())
    assert pattern.downlink.rate_bps.tolist() == [0, 0]


def test_a_trace_that_does_not_say_its_headers_is_refused(make_trace):
    trace = make_trace([1] * 4)
    bare = replace(trace, meta={name: value for name, value in trace.meta.items() if name != "payload_bytes"})
    with pytest.raises(InputError, match="trace: does not say its payload_bytes; convert from phy_rate_bps"):
        convert(bare, Conversion())


def test_a_constant_says_so():
    pattern = constant(5e6, 3.0, "drop", "hold")
    assert (pattern.meta, pattern.outage, pattern.end) == ({"conversion": {"method": "constant"}}, "drop", "hold")
    assert (pattern.duration_s, pattern.uplink.rate_bps.tolist()) == (3.0, [5e6])


@pytest.mark.parametrize(
    ("rates", "mean"),
    [
        ([0, 0, 6e6, 0, 0, 0], 1e6),  # nothing follows the first bin, so that it is not the start of the traffic
        ([6e6, 0, 0, 0, 0, 0], 1e6),
        ([0, 0, 6e6, 3e6, 0, 0], 1e6),
        ([0, 0, 0, 0, 6e6, 3e6], 3e6),
    ],
)
def test_the_first_busy_bin_is_left_out_if_others_follow(make_trace, rates, mean):
    pattern = convert(make_trace([1] * 6, throughput_bps=rates), Conversion(Window(0.006)))
    assert pattern.downlink.rate_bps == pytest.approx([mean * HEADERS], abs=1)


def test_a_step_counts_if_one_bin_of_it_does(make_trace):
    rate = [0, 9e6, 4e6, 5e6, 6e6, 7e6]
    pattern = convert(make_trace([1] * 6, throughput_bps=rate), Conversion(Window(0.003)))
    assert pattern.downlink.rate_bps == pytest.approx(np.array([4e6, 6e6]) * HEADERS, abs=1)


def test_a_trace_or_a_constant_has_no_delay_and_no_loss(make_trace):
    for pattern in (convert(make_trace([1, 1]), Conversion()), constant(1e6, 1.0)):
        assert pattern.downlink.delay_s.tolist() == pattern.downlink.loss.tolist() == [0.0]
