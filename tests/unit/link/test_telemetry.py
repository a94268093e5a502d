import os

import numpy as np

from mmwemu.link.replay import resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.link.telemetry import RECORD, TelemetryFile, to_frame
from tests.patterns import make_pattern


def test_both_directions_come_in_turns():
    records = np.zeros((3, 2), RECORD)
    records["delivered_bytes"] = [[1, 2], [3, 4], [5, 6]]
    records["lateness_max_ns"][2, 1] = 2_000_000
    records["backlogged"][1, 0] = 1
    frame = to_frame(records, resolve(LinkSettings(make_pattern([8e6]), start_at_s=0.2)))
    assert frame["time_s"].tolist() == [0, 0, 0.01, 0.01, 0.02, 0.02]
    assert frame["direction"].tolist() == ["downlink", "uplink"] * 3
    assert frame["delivered_bytes"].tolist() == [1, 2, 3, 4, 5, 6]
    assert frame["capacity_bytes"].round(6).tolist() == [10_000] * 6
    assert frame["backlogged"].tolist() == [False, False, True, False, False, False]
    assert frame["lateness_s"].tolist() == [0] * 5 + [0.002]


def test_a_file_is_read_up_to_where_it_is_complete():
    file = TelemetryFile()
    try:
        replay = resolve(LinkSettings(make_pattern([8e6])))
        assert len(file.read(replay)) == 0
        records = np.zeros((5, 2), RECORD)
        records["queue_bytes"] = 7
        records["backlogged"] = 1
        os.pwrite(file.fd, np.array([10**9, 10**9 + 25_000_000]).tobytes(), 0)
        os.pwrite(file.fd, records.tobytes(), 4096)
        frame = file.read(replay)
        assert len(frame) == 6
        assert frame["queue_bytes"].tolist() == [7] * 6
        assert frame["backlogged"].tolist() == [True] * 4 + [False] * 2
    finally:
        file.close()
        file.close()


def test_a_part_of_a_file_has_the_times_and_the_capacity_of_its_bins():
    file = TelemetryFile()
    try:
        # 8 Mbit/s, then 16, from 20 ms before the change on.
        replay = resolve(LinkSettings(make_pattern([8e6, 16e6], step_s=0.1, end="hold"), start_at_s=0.08))
        records = np.zeros((5, 2), RECORD)
        records["delivered_bytes"] = np.arange(10).reshape(5, 2)
        assert file.epoch_ns() is None
        os.pwrite(file.fd, np.array([10**9, 10**9 + 50_000_000]).tobytes(), 0)
        os.pwrite(file.fd, records.tobytes(), 4096)
        assert file.epoch_ns() == 10**9
        assert len(file.read(replay)) == 10
        part = file.read(replay, since_s=0.01)
        assert part["time_s"].round(9).tolist() == [0.01, 0.01, 0.02, 0.02, 0.03, 0.03, 0.04, 0.04]
        assert part["delivered_bytes"].tolist() == list(range(2, 10))
        assert part["capacity_bytes"].round(6).tolist() == [10_000] * 2 + [20_000] * 6
        assert len(file.read(replay, since_s=9.0)) == 0
    finally:
        file.close()


def test_a_file_has_room_for_4_hours_of_both_directions():
    file = TelemetryFile()
    try:
        assert RECORD.itemsize == 26 * 8
        assert os.fstat(file.fd).st_size == 4096 + 4 * 3600 * 100 * 2 * RECORD.itemsize
    finally:
        file.close()


def test_a_record_has_these_fields_in_this_order():
    assert RECORD.names == (
        "offered_bytes", "offered_packets", "delivered_bytes", "delivered_packets", "dropped_queue_bytes",
        "dropped_queue_packets", "dropped_aqm_bytes", "dropped_aqm_packets", "dropped_loss_bytes",
        "dropped_loss_packets", "dropped_outage_bytes", "dropped_outage_packets", "dropped_device_bytes",
        "dropped_device_packets", "duplicated_bytes", "duplicated_packets", "damaged_bytes", "damaged_packets",
        "reordered_bytes", "reordered_packets", "marked_bytes", "marked_packets", "queue_bytes", "queue_max_bytes",
        "lateness_max_ns", "backlogged",
    )  # fmt: skip


def test_a_frame_counts_each_direction_in_order_from_its_first_bin():
    records = np.zeros((2, 2), RECORD)
    records["lateness_max_ns"] = [[1000, 2000], [3000, 4000]]
    frame = to_frame(records, resolve(LinkSettings(make_pattern([8e6]))), first=5)
    assert frame.index.tolist() == [0, 1, 2, 3]
    assert frame["time_s"].round(9).tolist() == [0.05, 0.05, 0.06, 0.06]
    assert frame["lateness_s"].tolist() == [1e-6, 2e-6, 3e-6, 4e-6]
    assert list(frame.columns) == [
        "time_s", "direction", *(name for name in RECORD.names if name not in ("lateness_max_ns", "backlogged")),
        "capacity_bytes", "backlogged", "lateness_s",
    ]  # fmt: skip
