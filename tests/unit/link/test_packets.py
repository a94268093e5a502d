import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.packets import RECORD, RECORD_WITH_HEADER, PacketLog, times_s
from tests.packet_records import HEADER, MS, RECORDS, fill, record


def test_a_record_has_the_size_that_the_emulator_writes():
    assert (RECORD.itemsize, RECORD_WITH_HEADER.itemsize) == (48, 128)


@pytest.mark.parametrize("headers", [True, False])
def test_records_are_read_as_they_were_written(tmp_path, headers):
    with fill(PacketLog(tmp_path, headers=headers)) as log:
        records = log.records()
        assert records["arrival_ns"].tolist() == RECORDS["arrival_ns"].tolist()
        assert records.dtype == (RECORD_WITH_HEADER if headers else RECORD)
        if headers:
            assert records["header"][0, : len(HEADER)].tobytes() == HEADER
        (part,) = log.by_arrival()
        assert part["arrival_ns"].tolist() == sorted(RECORDS["arrival_ns"].tolist())
        # Those that came at once stay in order.
        assert part["ending"].tolist() == [7, 2, 1, 0, 5, 0, 3]


def test_a_log_has_no_name_and_an_empty_one_no_records(tmp_path):
    with PacketLog(tmp_path, headers=True) as log:
        assert list(tmp_path.iterdir()) == []
        assert len(log.records()) == 0
        assert list(log.by_arrival()) == []


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"/no: cannot be written: No such file or directory"):
        PacketLog(tmp_path / "no", headers=False)


def test_the_core_link_is_before_the_bottleneck_in_the_downlink_and_behind_it_in_the_uplink():
    times = times_s(RECORDS, 0.011)
    assert times["sent_s"].tolist() == pytest.approx([0.0, 0.001, 0.005, 0.005, 0.003, -0.007, -0.007])
    assert times["propagation_delay_s"][[0, 2]].tolist() == pytest.approx([0.015, 0.015])
    assert np.isnan(times["arrival_s"][4])  # never at the bottleneck
    assert np.isnan(times["departure_s"][[1, 4]]).all() and np.isnan(times["delivery_s"][[1, 3, 4]]).all()
    assert times["lateness_s"][[0, 5]].tolist() == [5e-7, 0.0]


def test_a_run_of_days_keeps_its_nanoseconds():
    day = 86_400 * 10**9
    times = times_s(np.array([record(1, 0, 1, day, day + 1, day + 3, day + 3 + MS)], RECORD), 0.0)
    assert times["queueing_delay_s"].tolist() == [1e-9]
    assert times["propagation_delay_s"].tolist() == [2e-9]
    assert times["lateness_s"].tolist() == [1e-3]
