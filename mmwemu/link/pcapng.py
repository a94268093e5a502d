"""Packet captures in the form of the pcapng draft (draft-ietf-opsawg-pcapng), which Wireshark reads."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import IO

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_BYTE_ORDER = 0x1A2B3C4D
_LINKTYPE_RAW = 101  # an IP packet, nothing before it
_COMMENT, _SECTION_PROGRAM, _INTERFACE_NAME, _INTERFACE_RESOLUTION = 1, 4, 2, 9
_NANOSECONDS = bytes([9])  # powers of ten


def write_head(file: IO[bytes], interfaces: Sequence[str], most_bytes: int) -> None:
    """Write the head of a capture: the section and its interfaces.

    Parameters
    ----------
    file
        To write to.
    interfaces
        Their names; packets tell theirs by its place.
    most_bytes
        The most bytes kept of each packet.
    """
    head = struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1)
    _write_block(file, _SECTION, head, [(_SECTION_PROGRAM, b"mmwemu")])
    for name in interfaces:
        options = [(_INTERFACE_NAME, name.encode()), (_INTERFACE_RESOLUTION, _NANOSECONDS)]
        _write_block(file, _INTERFACE, struct.pack("<HHI", _LINKTYPE_RAW, 0, most_bytes), options)


def write_packet(file: IO[bytes], interface: int, time_ns: int, data: bytes, size_bytes: int, comment: str) -> None:
    """Write a packet, or its start, with a comment; the time may not be negative."""
    time_ns = max(0, time_ns)
    body = struct.pack("<IIIII", interface, time_ns >> 32, time_ns & 0xFFFFFFFF, len(data), size_bytes)
    _write_block(file, _PACKET, body + _padded(data), [(_COMMENT, comment.encode())])


def _write_block(file: IO[bytes], kind: int, body: bytes, options: Sequence[tuple[int, bytes]]) -> None:
    for code, value in options:
        body += struct.pack("<HH", code, len(value)) + _padded(value)
    body += struct.pack("<HH", 0, 0)
    size = struct.pack("<I", len(body) + 12)
    file.write(struct.pack("<I", kind) + size + body + size)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
