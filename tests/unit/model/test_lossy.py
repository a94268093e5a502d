"""TCP over random loss: numbers worked out by hand, and bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.model.lossy import LossyPath, cubic_bps, reno_bps


def test_reno_at_a_loss_of_one_percent_has_a_window_of_twelve_packets():
    assert reno_bps(LossyPath(0.1, 0.01, 1000)) == pytest.approx(12.2474 * 8000 / 0.1, rel=1e-4)


def test_cubic_has_the_windows_of_rfc_9438_and_at_least_those_of_reno():
    windows = cubic_bps(LossyPath(0.1, np.array([1e-4, 1e-5, 1e-8]), 1000)) * 0.1 / 8000
    assert windows == pytest.approx([187, 1054, 187_000], rel=0.01)
    assert cubic_bps(LossyPath(0.1, 1e-2)) == reno_bps(LossyPath(0.1, 1e-2))


def test_arrays_broadcast():
    assert reno_bps(LossyPath(np.array([[0.01], [0.1]]), np.array([1e-3, 1e-2, 0.1]))).shape == (2, 3)


@given(st.floats(1e-4, 1.0), st.floats(1e-8, 0.5))
def test_more_loss_or_a_longer_way_is_never_faster(rtt_s, loss):
    for model in (reno_bps, cubic_bps):
        here = model(LossyPath(rtt_s, loss))
        assert model(LossyPath(2 * rtt_s, loss)) < here
        assert model(LossyPath(rtt_s, 2 * loss)) < here
