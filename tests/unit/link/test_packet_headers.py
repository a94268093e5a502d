import numpy as np

from mmwemu.link.packet_headers import transport_fields
from mmwemu.link.packets import RECORD, RECORD_WITH_HEADER

IP = bytes.fromhex("45000000000000004006") + bytes(2) + bytes([10, 77, 0, 1]) + bytes([10, 77, 0, 2])
TCP = (80).to_bytes(2, "big") + (40_000).to_bytes(2, "big") + (2**32 - 5).to_bytes(4, "big") + (77).to_bytes(4, "big")
TCP += bytes([0x80, 0x12]) + bytes(18)


def packet(header, size_bytes=1500, direction=0, kept=None):
    record = np.zeros(1, RECORD_WITH_HEADER)
    record["size_bytes"], record["direction"] = size_bytes, direction
    record["header_bytes"] = len(header) if kept is None else kept
    record["header"][0, : len(header)] = np.frombuffer(header, np.uint8)
    return {name: int(values[0]) for name, values in transport_fields(record).items()}


def test_tcp_in_both_directions():
    found = packet(IP + TCP)
    assert found == {
        "client_port": 40_000, "server_port": 80, "payload_bytes": 1500 - 20 - 32,
        "tcp_flags": 0x12, "tcp_seq": 2**32 - 5, "tcp_ack": 77,
    }  # fmt: skip
    up = packet(IP + TCP, direction=1)
    assert (up["client_port"], up["server_port"]) == (80, 40_000)


def test_options_of_ip_move_what_follows():
    longer = bytes([0x46]) + IP[1:] + bytes(4)
    assert packet(longer + TCP)["payload_bytes"] == 1500 - 24 - 32
    assert packet(longer + TCP)["tcp_seq"] == 2**32 - 5


def test_udp_has_ports_and_a_payload_only():
    udp = IP[:9] + bytes([17]) + IP[10:] + (443).to_bytes(2, "big") + (5_000).to_bytes(2, "big") + bytes(4)
    found = packet(udp, 128)
    assert found["client_port"] == 5_000 and found["server_port"] == 443 and found["payload_bytes"] == 100
    assert found["tcp_seq"] == found["tcp_ack"] == found["tcp_flags"] == -1


def test_what_is_no_whole_header_has_no_field():
    for header, kept in ((IP + TCP, 39), (IP + TCP, 0), (bytes([0x60]) + IP[1:] + TCP, None), (b"\x41" + IP[1:], None)):
        assert set(packet(header, kept=kept).values()) == {-1}
    assert set(packet(IP[:9] + bytes([1]) + IP[10:] + TCP).values()) == {-1}


def test_records_without_headers_have_no_field():
    fields = transport_fields(np.zeros(3, RECORD))
    assert all(values.tolist() == [-1, -1, -1] for values in fields.values())
