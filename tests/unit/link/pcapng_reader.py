"""A reader of pcapng after the draft, independent of the writer, for tests."""

import struct
from dataclasses import dataclass, field


@dataclass
class Packet:
    interface: int
    time_ns: int
    data: bytes
    size_bytes: int
    comment: str


@dataclass
class Capture:
    most_bytes: int = 0
    interfaces: list[str] = field(default_factory=list)
    packets: list[Packet] = field(default_factory=list)


def options_of(body, at):
    options = {}
    while at < len(body):
        code, length = struct.unpack_from("<HH", body, at)
        if code == 0:
            assert length == 0 and at + 4 == len(body)
            return options
        options[code] = body[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
    return options


def read_pcapng(path):
    data, at, capture = path.read_bytes(), 0, Capture()
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length % 4 == 0 and struct.unpack_from("<I", data, at + length - 4) == (length,)
        body = data[at + 8 : at + length - 4]
        if kind == 0x0A0D0D0A:
            assert at == 0 and struct.unpack_from("<IHHq", body) == (0x1A2B3C4D, 1, 0, -1)
            assert options_of(body, 16) == {4: b"mmwemu"}
        elif kind == 1:
            linktype, reserved, capture.most_bytes = struct.unpack_from("<HHI", body)
            assert (linktype, reserved) == (101, 0)
            options = options_of(body, 8)
            assert options[9] == b"\x09"
            capture.interfaces.append(options[2].decode())
        else:
            assert kind == 6
            interface, high, low, kept, size = struct.unpack_from("<IIIII", body)
            options = options_of(body, 20 + (kept + 3) // 4 * 4)
            packet = Packet(interface, high << 32 | low, body[20 : 20 + kept], size, options[1].decode())
            capture.packets.append(packet)
        at += length
    return capture
