"""The fields of TCP and UDP headers in recorded packets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_IPV4, _TCP, _UDP = 4, 6, 17
_PROTOCOL, _LEAST_IP, _UDP_HEADER, _TCP_HEADER = 9, 20, 8, 20
_UPLINK = 1

Whole = NDArray[np.int64]


def transport_fields(records: NDArray[Any]) -> dict[str, Whole]:
    """Return the transport headers of packets, -1 where a packet has no such field or no header was recorded.

    Fields: ``client_port`` and ``server_port`` of TCP and UDP; ``payload_bytes`` behind their header; ``tcp_flags``
    (RFC 9293, section 3.1: FIN 1, SYN 2, RST 4, PSH 8, ACK 16), ``tcp_seq`` and ``tcp_ack`` as in the header.

    Parameters
    ----------
    records
        Of dtype `mmwemu.link.packets.RECORD` or `RECORD_WITH_HEADER` [n_packet].

    Returns
    -------
    Arrays [n_packet] by name.
    """
    names = ("client_port", "server_port", "payload_bytes", "tcp_flags", "tcp_seq", "tcp_ack")
    fields = {name: np.full(len(records), -1, np.int64) for name in names}
    if "header" not in (records.dtype.names or ()):
        return fields
    header, kept = records["header"], records["header_bytes"].astype(np.int64)
    ip = (header[:, 0] & 0x0F).astype(np.int64) * 4
    protocol = header[:, _PROTOCOL]
    is_ip = (header[:, 0] >> 4 == _IPV4) & (ip >= _LEAST_IP)
    tcp = np.flatnonzero(is_ip & (protocol == _TCP) & (kept >= ip + _TCP_HEADER))
    udp = np.flatnonzero(is_ip & (protocol == _UDP) & (kept >= ip + _UDP_HEADER))
    for rows in (tcp, udp):
        uplink = records["direction"][rows] == _UPLINK
        source, destination = (_word(header, rows, ip[rows] + at, 2) for at in (0, 2))
        fields["client_port"][rows] = np.where(uplink, source, destination)
        fields["server_port"][rows] = np.where(uplink, destination, source)
    size_bytes = records["size_bytes"].astype(np.int64)
    fields["payload_bytes"][udp] = size_bytes[udp] - ip[udp] - _UDP_HEADER
    offset = (_word(header, tcp, ip[tcp] + 12, 1) >> 4) * 4
    fields["payload_bytes"][tcp] = size_bytes[tcp] - ip[tcp] - offset
    fields["tcp_flags"][tcp] = _word(header, tcp, ip[tcp] + 13, 1)
    fields["tcp_seq"][tcp] = _word(header, tcp, ip[tcp] + 4, 4)
    fields["tcp_ack"][tcp] = _word(header, tcp, ip[tcp] + 8, 4)
    return fields


def _word(header: NDArray[np.uint8], rows: NDArray[np.intp], at: Whole, size: int) -> Whole:
    """Return the numbers of ``size`` bytes, the highest first, at a place of each row."""
    value = np.zeros(len(rows), np.int64)
    for i in range(size):
        value = value << 8 | header[rows, at + i]
    return value
