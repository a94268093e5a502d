"""Counters become telemetry."""

import math

import numpy as np
import pytest

from mmwemu.link.check import check
from mmwemu.link.replay import resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.backends.tc import samples
from tests.patterns import make_pattern


def test_rows_become_bins_and_dropped_bytes_are_not_invented():
    replay = resolve(LinkSettings(make_pattern([8e6]), delay_s=0.0, start="now"))
    rows = np.zeros((4, samples.ROW))
    rows[:, 0] = [0.0, 0.01, 0.0205, 0.0305]
    rows[:, 1] = [0.0, 0.0001, 0.0005, 0.0005]
    delivered, packets, queue_drops = 2, 3, 4
    rows[:, delivered] = [0, 10_000, 20_500, 30_500]
    rows[:, packets] = [0, 10, 20.5, 30.5]
    rows[:, queue_drops] = [0, 0, 0, 3]
    rows[:, 2 + 5] = [30_000, 30_000, 30_000, 30_000]
    frame = samples.to_frame(rows, replay)
    down = frame[frame["direction"] == "downlink"].reset_index()
    assert down["time_s"].tolist() == pytest.approx([0, 0.01, 0.02])
    assert down["delivered_bytes"].tolist() == pytest.approx([10_000] * 3)
    assert down["capacity_bytes"].tolist() == pytest.approx([10_000] * 3)
    assert down["backlogged"].tolist() == [True] * 3
    assert not frame.loc[frame["direction"] == "uplink", "backlogged"].any()
    assert down["dropped_queue_packets"].sum() > 2.5
    assert down["dropped_queue_bytes"].iloc[0] == 0 and math.isnan(down["dropped_queue_bytes"].iloc[2])
    assert down["dropped_device_packets"].isna().all()
    assert check(frame).valid
    assert len(samples.to_frame(rows[:0], replay)) == len(samples.to_frame(rows[:1], replay)) == 0
