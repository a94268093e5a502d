"""Which packets start a pattern."""

import struct

from mmwemu.testbed.backends.tc.qdiscs import starts


def packet(protocol, flags=0, data_bytes=0):
    tcp = struct.pack(">HHIIBBHHH", 1, 2, 0, 0, 5 << 4, flags, 0, 0, 0)
    total = 20 + 20 + data_bytes
    return struct.pack(">BBHHHBBHII", 0x45, 0, total, 0, 0, 64, protocol, 0, 0, 0) + tcp + bytes(data_bytes)


def test_the_first_packet_is_one_that_opens_or_carries_or_is_not_tcp():
    syn, ack, fin, reset = 0x02, 0x10, 0x01, 0x04
    assert starts(packet(17)) and starts(packet(6, syn)) and starts(packet(6, ack, 1))
    assert not any(starts(packet(6, flags)) for flags in (ack, ack | fin, reset))
