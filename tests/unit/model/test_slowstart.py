"""Slow start: against a transfer counted window by window, and at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.model.slowstart import Transfer, efficiency, rounds, time_s

WINDOW = 14_600


def test_windows_that_double_carry_what_the_model_says():
    """After N round trips the windows 0 to N are sent."""
    for n in range(8):
        size = sum(WINDOW * 2**i for i in range(n + 1))
        assert time_s(Transfer(size, 1e12, 0.05, WINDOW)) == pytest.approx(n * 0.05, abs=1e-4)


def test_beyond_the_ramp_bytes_leave_at_the_rate():
    rate_bps, rtt_s = 1e9, 0.01
    n = math.log2(rate_bps / 8 * rtt_s / WINDOW)
    ramp = WINDOW * (2 ** (n + 1) - 1)
    assert rounds(Transfer(1, rate_bps, rtt_s, WINDOW)) == pytest.approx(n)
    assert time_s(Transfer(ramp + 125e6, rate_bps, rtt_s, WINDOW)) == pytest.approx(n * rtt_s + 1.0)


def test_a_window_above_the_path_has_no_ramp():
    assert rounds(Transfer(1e6, 1e6, 0.01, WINDOW)) == 0
    assert efficiency(Transfer(1e6, 1e6, 0.001, WINDOW)) == pytest.approx(1.0, abs=0.02)


def test_arrays_broadcast():
    sizes, rates = np.array([[1e6], [1e7]]), np.array([1e8, 1e9, 1e10])
    assert efficiency(Transfer(sizes, rates, 0.05, WINDOW)).shape == (2, 3)


positive = st.floats(1.0, 1e12)


@given(positive, positive, st.floats(1e-4, 10.0), st.floats(1.0, 1e8))
def test_time_rises_with_size_and_no_transfer_beats_the_rate(size, rate_bps, rtt_s, window):
    one, twice = (time_s(Transfer(factor * size, rate_bps, rtt_s, window)) for factor in (1, 2))
    assert twice > one
    assert 0 < efficiency(Transfer(size, rate_bps, rtt_s, window)) <= 1 + 1e-9
