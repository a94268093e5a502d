import numpy as np
import pyarrow.parquet as pq
import pytest

from mmwemu.link.packet_table import to_table, write_parquet
from mmwemu.link.packets import RECORD, RECORD_WITH_HEADER, PacketLog
from tests.packet_records import RECORDS, fill, record


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
        "link": 1,
        "client": None,
        **dict.fromkeys(("client_port", "server_port", "payload_bytes", "tcp_flags", "tcp_seq", "tcp_ack")),
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


def test_several_clients_are_told_apart_by_their_addresses():
    records = np.zeros(4, RECORD_WITH_HEADER)
    records["direction"] = [0, 1, 0, 1]
    records["header"][0, 16:20] = records["header"][1, 12:16] = (10, 77, 2, 2)  # to client 2 and from it
    records["header"][2, 16:20] = (10, 77, 2, 1)
    records["header"][3, 16:20] = (10, 77, 2, 1)  # a client never is the uplink's destination
    rows = to_table(records, 0.0, link=0, clients=["10.77.2.1", "10.77.2.2"]).to_pylist()
    assert [row["client"] for row in rows] == [2, 2, 1, None]
    assert {row["link"] for row in rows} == {0}


def test_without_headers_a_single_client_has_all_packets_and_several_none():
    assert set(to_table(RECORDS, 0.0, clients=["10.77.0.2"])["client"].to_pylist()) == {1}
    assert set(to_table(RECORDS, 0.0, clients=["10.77.2.1", "10.77.2.2"])["client"].to_pylist()) == {None}


@pytest.mark.parametrize("headers", [True, False])
def test_parquet_has_a_row_for_each_by_arrival(tmp_path, headers):
    with fill(PacketLog(tmp_path, headers=headers)) as log:
        write_parquet(tmp_path / "p.parquet", (to_table(part, 0.011) for part in log.by_arrival()))
    file = pq.ParquetFile(tmp_path / "p.parquet")
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.schema_arrow.metadata[b"format"] == b"1"
    frame = file.read().to_pandas()
    assert frame["drop"].astype(object).fillna("").tolist() == ["device", "", "", "", "loss", "", "queue"]
    assert frame["arrival_s"].dropna().is_monotonic_increasing


def test_no_packets_are_an_empty_table(tmp_path):
    with PacketLog(tmp_path, headers=True) as log:
        write_parquet(tmp_path / "p.parquet", (to_table(part, 0.011) for part in log.by_arrival()))
    table = pq.read_table(tmp_path / "p.parquet")
    assert table.num_rows == 0
    assert table.column_names == to_table(RECORDS, 0.0).column_names
