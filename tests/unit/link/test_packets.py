import shutil
import subprocess

import numpy as np
import pyarrow.parquet as pq
import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.packets import RECORD, RECORD_WITH_HEADER, PacketLog, open_log, to_table
from tests.unit.link.pcapng_reader import read_pcapng

NEVER = np.iinfo(np.int64).max
MS = 1_000_000
# An IPv4 packet of UDP, 28 bytes of headers.
HEADER = bytes.fromhex("45000030000100004011") + bytes(10) + bytes.fromhex("0fa1138900 1c0000".replace(" ", ""))


def record(number, ending, direction=0, arrival=5 * MS, departure=NEVER, due=NEVER, delivered=NEVER, marked=0):
    return (number, arrival, departure, due, delivered, 1500, direction, ending, marked, len(HEADER))


RECORDS = np.array(
    [
        record(1, 0, 0, 11 * MS, 13 * MS, 17 * MS, 17 * MS + 500),
        record(2, 3, 0, 12 * MS),
        record(1, 0, 1, 5 * MS, 6 * MS, 21 * MS, 21 * MS, marked=1),
        record(2, 5, 1, 5 * MS, 7 * MS),
        record(0, 7, 0, 3 * MS),
        record(3, 2, 0, 4 * MS, 5 * MS, 6 * MS, 5 * MS),
        record(4, 1, 0, 4 * MS, 5 * MS, 6 * MS, 7 * MS),
    ],
    RECORD,
)


def log_of(folder, headers=True):
    log = PacketLog(folder, headers=headers)
    full = np.zeros(len(RECORDS), RECORD_WITH_HEADER if headers else RECORD)
    for name in RECORD.names:
        full[name] = RECORDS[name]
    if headers:
        full["header"][:, : len(HEADER)] = np.frombuffer(HEADER, np.uint8)
    log._file.write(full.tobytes())
    return log


def test_times_delays_and_causes():
    rows = to_table(RECORDS, 0.011).to_pylist()
    assert rows[0] == {
        "direction": "downlink",
        "number": 1,
        "kind": "packet",
        "size_bytes": 1500,
        "sent_s": 0.0,
        "arrival_s": 0.011,
        "departure_s": 0.013,
        "delivery_s": 0.0170005,
        "queueing_delay_s": 0.002,
        "propagation_delay_s": pytest.approx(0.015, abs=1e-12),
        "lateness_s": 5e-7,
        "drop": None,
        "marked": False,
    }
    assert rows[1]["drop"] == "queue" and rows[1]["sent_s"] == pytest.approx(0.001)
    assert rows[1]["departure_s"] is rows[1]["delivery_s"] is rows[1]["queueing_delay_s"] is None
    # In the uplink the core link is behind the bottleneck, so it is in the time due.
    assert rows[2]["sent_s"] == 0.005 and rows[2]["propagation_delay_s"] == 0.015 and rows[2]["marked"]
    assert rows[3]["drop"] == "loss" and rows[3]["queueing_delay_s"] == 0.002
    # Never at the bottleneck.
    assert rows[4]["drop"] == "device" and rows[4]["number"] is rows[4]["arrival_s"] is None
    assert rows[4]["sent_s"] == 0.003
    assert [row["kind"] for row in rows[5:]] == ["damaged", "copy"]
    assert rows[5]["lateness_s"] == 0.0


def test_a_run_of_days_keeps_its_nanoseconds():
    day = 86_400 * 10**9
    one = np.array([record(1, 0, 1, day, day + 1, day + 3, day + 3)], RECORD)
    row = to_table(one, 0.0).to_pylist()[0]
    assert row["queueing_delay_s"] == 1e-9 and row["propagation_delay_s"] == 2e-9


@pytest.mark.parametrize("headers", [True, False])
def test_parquet_has_a_row_for_each_by_arrival(tmp_path, headers):
    log = log_of(tmp_path, headers)
    with log:
        log.write(tmp_path / "p.parquet", 0.011)
    file = pq.ParquetFile(tmp_path / "p.parquet")
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.schema_arrow.metadata[b"format"] == b"1"
    frame = file.read().to_pandas()
    assert frame["drop"].astype(object).fillna("").tolist() == ["device", "", "", "", "loss", "", "queue"]
    assert frame["arrival_s"].dropna().is_monotonic_increasing


def test_an_empty_log_is_an_empty_table(tmp_path):
    with PacketLog(tmp_path, headers=True) as log:
        log.write(tmp_path / "p.parquet", 0.011)
        log.write(tmp_path / "p.pcapng", 0.011)
    assert pq.read_table(tmp_path / "p.parquet").num_rows == 0
    assert read_pcapng(tmp_path / "p.pcapng").packets == []


COMMENTS = [
    "dropped: device",
    "damaged; queueing 1.000 ms; propagation 12.000 ms; delivered at 0.005000 s",
    "copy; queueing 1.000 ms; propagation 12.000 ms; delivered at 0.007000 s",
    "congestion experienced; queueing 1.000 ms; propagation 15.000 ms; delivered at 0.021000 s",
    "dropped: loss; queueing 2.000 ms",
    "queueing 2.000 ms; propagation 15.000 ms; delivered at 0.017001 s",
    "dropped: queue",
]


def test_pcapng_has_the_reason_of_a_drop_as_a_comment(tmp_path):
    with log_of(tmp_path) as log:
        log.write(tmp_path / "p.pcapng", 0.011)
    capture = read_pcapng(tmp_path / "p.pcapng")
    assert capture.interfaces == ["downlink", "uplink"]
    assert [packet.comment for packet in capture.packets] == COMMENTS
    assert [packet.time_ns for packet in capture.packets] == [t * MS for t in (3, 4, 4, 5, 5, 11, 12)]
    assert [packet.interface for packet in capture.packets] == [0, 0, 0, 1, 1, 0, 0]
    assert {packet.data for packet in capture.packets} == {HEADER}
    assert {packet.size_bytes for packet in capture.packets} == {1500}


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_wireshark_reads_the_pcapng(tmp_path):
    with log_of(tmp_path) as log:
        log.write(tmp_path / "p.pcapng", 0.011)
    fields = ["frame.time_epoch", "frame.interface_name", "frame.len", "ip.proto", "frame.comment"]
    argv = ["tshark", "-r", str(tmp_path / "p.pcapng"), "-T", "fields", "-E", "separator=|"]
    argv += [word for field in fields for word in ("-e", field)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    rows = [line.split("|") for line in done.stdout.splitlines()]
    assert [row[4] for row in rows] == COMMENTS
    assert [row[:4] for row in rows][-2:] == [
        ["0.011000000", "downlink", "1500", "17"],
        ["0.012000000", "downlink", "1500", "17"],
    ]


def test_other_forms_and_folders_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"p\.csv: must end in \.parquet or \.pcapng"), open_log([tmp_path / "p.csv"]):
        pass
    missing = tmp_path / "no" / "p.parquet"
    with pytest.raises(InputError, match="its folder does not exist"), open_log([missing]):
        pass
