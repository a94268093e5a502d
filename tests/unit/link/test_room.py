import math

import numpy as np
import pandas as pd
import pytest

from mmwemu.link.room import room


def telemetry(*bins):
    """Return telemetry of bins, each delivered and possible bytes of the downlink and of the uplink."""
    rows = []
    for i, (down, up) in enumerate(bins):
        for direction, (delivered, capacity) in (("downlink", down), ("uplink", up)):
            rows.append((i * 0.01, direction, delivered, capacity))
    return pd.DataFrame(rows, columns=["time_s", "direction", "delivered_bytes", "capacity_bytes"])


def test_the_direction_that_is_used_most_counts():
    frame = telemetry(((25, 100), (75, 100)), ((100, 100), (0, 100)), ((0, 100), (0, 100)))
    assert room(frame, np.arange(4) * 0.01) == pytest.approx([0.25, 0.0, 1.0])
    assert room(frame, np.array([0.0, 0.02, 0.03])) == pytest.approx([0.125, 1.0])


def test_times_need_not_meet_bins():
    frame = telemetry(((0, 100), (0, 100)), ((100, 100), (0, 100)))
    assert room(frame, np.array([0.005, 0.015])) == pytest.approx([0.5])


def test_an_outage_has_no_room_and_a_link_without_limit_nothing_else():
    frame = telemetry(((0, 0), (0, 100)), ((9, math.inf), (9, math.inf)))
    assert room(frame, np.arange(3) * 0.01) == pytest.approx([0.0, 1.0])


def test_more_than_the_capacity_is_no_less_than_no_room():
    assert room(telemetry(((150, 100), (0, 100)), ((50, 100), (0, 100))), np.array([0.0, 0.02])) == pytest.approx(
        [0.25]
    )


def test_before_and_after_the_telemetry_there_is_room():
    frame = telemetry(((100, 100), (0, 100)))
    assert room(frame, np.array([-0.02, -0.01, 0.01, 0.03])) == pytest.approx([1.0, 0.5, 1.0])
    assert room(frame.iloc[:0], np.array([0.0, 1.0])) == pytest.approx([1.0])
    assert room(frame, np.array([0.0])).tolist() == []
