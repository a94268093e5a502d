import shutil
import subprocess

import pytest

from mmwemu.link.packet_capture import CapturedPacket, captured, write_pcapng
from mmwemu.link.packets import DIRECTIONS, PacketLog
from tests.packet_records import HEADER, MS, fill
from tests.unit.link.pcapng_reader import read_pcapng


def write(folder, fill=fill):
    with fill(PacketLog(folder, headers=True)) as log:
        write_pcapng(folder / "p.pcapng", DIRECTIONS, captured(log.by_arrival(), 0.011))


def test_no_packets_are_an_empty_capture(tmp_path):
    write(tmp_path, lambda log: log)
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
    write(tmp_path)
    capture = read_pcapng(tmp_path / "p.pcapng")
    assert capture.interfaces == ["downlink", "uplink"]
    assert [packet.comment for packet in capture.packets] == COMMENTS
    assert [packet.time_ns for packet in capture.packets] == [t * MS for t in (3, 4, 4, 5, 5, 11, 12)]
    assert [packet.interface for packet in capture.packets] == [0, 0, 0, 1, 1, 0, 0]
    assert {packet.data for packet in capture.packets} == {HEADER}
    assert {packet.size_bytes for packet in capture.packets} == {1500}


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_wireshark_reads_the_pcapng(tmp_path):
    write(tmp_path)
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


@pytest.mark.parametrize("time_ns", [0, 1, 2**32 - 1, 2**32, 1_700_000_000_123_456_789])
def test_a_packet_of_any_length_and_time_comes_through(tmp_path, time_ns):
    packets = [CapturedPacket(time_ns, i % 2, bytes(range(i)), 1000 + i, "x" * i) for i in range(9)]
    write_pcapng(tmp_path / "p.pcapng", DIRECTIONS, packets)
    capture = read_pcapng(tmp_path / "p.pcapng")
    assert [(p.time_ns, p.interface, p.data, p.size_bytes, p.comment) for p in capture.packets] == packets
    assert capture.most_bytes == 80


def test_a_time_before_1970_is_that_of_its_beginning(tmp_path):
    write_pcapng(tmp_path / "p.pcapng", DIRECTIONS, [CapturedPacket(-5, 0, b"", 1, "")])
    assert [packet.time_ns for packet in read_pcapng(tmp_path / "p.pcapng").packets] == [0]
