"""States of the TCP connections of a network that are over soon: ``python -m mmwemu.probe.connections``.

It runs inside a testbed, says ``ready``, looks at all connections every few milliseconds until its input ends, and
prints a JSON list with an object for each connection that came meanwhile; see `Seen`. `mmwemu.probe.tcp_sampler` keeps
every sample of whole states instead, and is too slow to meet a connection in its first round trip.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

_FAST_S, _SLOW_S = 0.002, 0.02
# So long after a connection came another one is likely.
_BUSY_S = 1.0
# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
_DIAG_BY_FAMILY, _REQUEST_DUMP, _DONE, _ERROR = 20, 0x301, 3, 2
_INFO, _MEMORY = 2, 7
# Established, FIN-WAIT-1 and 2, CLOSE-WAIT, LAST-ACK, CLOSING: what has a congestion window that counts.
_STATES = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11
_MESSAGE_BYTES = 72
# struct tcp_info, linux/tcp.h
_CWND, _MAX_PACING, _ACKED = 80, 112, 120
_UNLIMITED = 2**64 - 1
_V4_MAPPED = b"\0" * 10 + b"\xff\xff"


@dataclass
class Seen:
    """What was seen of a connection's end here.

    Attributes
    ----------
    local, peer
        Addresses without ports.
    ports
        Those of local and peer.
    first_window
        Congestion window before any data was acknowledged, packets; None if it was not seen so early.
    most_pacing
        Limit of its pacing, bytes/s; None for none.
    receive_buffer_bytes, send_buffer_bytes
        The largest buffers.
    acked_bytes
        Bytes that the peer has acknowledged.
    """

    local: str
    peer: str
    ports: tuple[int, int]
    first_window: int | None = None
    most_pacing: int | None = None
    receive_buffer_bytes: int = 0
    send_buffer_bytes: int = 0
    acked_bytes: int = 0


def main() -> None:
    """Look until the input ends."""
    found: dict[bytes, Seen] = {}
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as kernel:  # NETLINK_SOCK_DIAG
        look(kernel, found)
        old = set(found)  # of what ran before, and closing still
        print("ready", flush=True)
        busy_until_s = float("inf")
        while True:
            before = len(found)
            look(kernel, found)
            now_s = time.monotonic()
            if len(found) > before:
                busy_until_s = now_s + _BUSY_S
            wait_s = _FAST_S if now_s < busy_until_s else _SLOW_S
            if select.select([sys.stdin], [], [], wait_s)[0]:
                break
    print(json.dumps([asdict(one) for identity, one in found.items() if identity not in old]), flush=True)


def look(kernel: socket.socket, found: dict[bytes, Seen]) -> None:
    """Note the state of each connection in ``found``, by its identity.

    Raises
    ------
    OSError
        If the kernel refuses.
    """
    for family in (socket.AF_INET, socket.AF_INET6):
        wanted = 1 << (_INFO - 1) | 1 << (_MEMORY - 1)
        body = struct.pack("=BBBxI48x", family, socket.IPPROTO_TCP, wanted, _STATES)
        kernel.send(struct.pack("=IHHII", 16 + len(body), _DIAG_BY_FAMILY, _REQUEST_DUMP, 0, 0) + body)
        for message in _messages(kernel):
            _note(message, found)


def _messages(kernel: socket.socket) -> Iterator[bytes]:
    """Yield the bodies of an answer's messages."""
    while True:
        answer = kernel.recv(1 << 17)
        at = 0
        while at < len(answer):
            length, kind = struct.unpack_from("=IH", answer, at)
            if kind == _DONE:
                return
            if kind == _ERROR:
                raise OSError(-struct.unpack_from("=i", answer, at + 16)[0], "inet_diag")
            yield answer[at + 16 : at + length]
            at += (length + 3) & ~3


def _note(message: bytes, found: dict[bytes, Seen]) -> None:
    family = message[0]
    identity = message[4:52]  # struct inet_diag_sockid
    if identity not in found:
        ports = struct.unpack_from("!HH", message, 4)
        found[identity] = Seen(_address(family, message[8:24]), _address(family, message[24:40]), ports)
    seen, at = found[identity], _MESSAGE_BYTES
    while at + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, at)
        value = message[at + 4 : at + length]
        if kind == _INFO and len(value) >= _ACKED + 8:
            (window,) = struct.unpack_from("=I", value, _CWND)
            limit, acked = struct.unpack_from("=QQ", value, _MAX_PACING)
            if acked <= 1 and seen.first_window is None:  # the SYN of the one who opened it counts
                seen.first_window = window
            seen.most_pacing = None if limit == _UNLIMITED else limit
            seen.acked_bytes = max(seen.acked_bytes, acked)
        elif kind == _MEMORY:
            _, receive, _, send = struct.unpack_from("=IIII", value)
            seen.receive_buffer_bytes = max(seen.receive_buffer_bytes, receive)
            seen.send_buffer_bytes = max(seen.send_buffer_bytes, send)
        at += (length + 3) & ~3


def _address(family: int, raw: bytes) -> str:
    if family == socket.AF_INET:
        return socket.inet_ntop(socket.AF_INET, raw[:4])
    if raw.startswith(_V4_MAPPED):
        return socket.inet_ntop(socket.AF_INET, raw[12:])
    return socket.inet_ntop(socket.AF_INET6, raw)


if __name__ == "__main__":
    main()
