"""The few messages about queueing disciplines that are sent every step, encoded once and by hand.

Field numbers and structures: Linux, include/uapi/linux/pkt_sched.h, rtnetlink.h, gen_stats.h.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from mmwemu.link.profile import MTU_BYTES
from mmwemu.testbed.backends.tc.netem import Netem
from mmwemu.testbed.backends.tc.tbf import Tbf

ROOT = 0xFFFFFFFF
ETHERNET_HEADER_BYTES = 14

_NEW, _DELETE, _GET = 36, 37, 38
_ERROR, _DONE = 2, 3
_REQUEST, _ACK, _DUMP, _REPLACE, _CREATE = 0x1, 0x4, 0x300, 0x100, 0x400
_KIND, _OPTIONS, _STATS2, _STAB = 1, 2, 7, 8
_STATS_BASIC, _STATS_QUEUE = 1, 3
_TBF_PARMS, _TBF_BURST = 1, 6
_NETEM_REORDER, _NETEM_CORRUPT, _NETEM_LOSS, _NETEM_RATE = 3, 4, 5, 6
_NETEM_LOSS_GE = 2
_NO_CORRELATION = 0
_ETHERNET = 1
_NESTED = 0x8000
_TICK_NS = 64
_ANSWER_BYTES = 1 << 17

_HEADER = struct.Struct("=IHHII")
_TCMSG = struct.Struct("=BxxxiIII")
_RATESPEC = struct.Struct("=BBHhHI")


@dataclass(frozen=True)
class Counters:
    """The counters of a qdisc since it was made."""

    bytes: int
    packets: int
    drops: int
    backlog_bytes: int
    backlog_packets: int


def _attribute(kind: int, data: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def _size_table() -> bytes:
    """Let sizes be those of IP packets: without the Ethernet header."""
    base = struct.pack("=BBhiIIII", 0, 0, 0, -ETHERNET_HEADER_BYTES, _ETHERNET, 0, 0, 0)
    return _attribute(_STAB, _attribute(1, base))


def tbf_options(tbf: Tbf) -> bytes:
    """Encode a tbf's kind and options."""
    rate = _RATESPEC.pack(0, _ETHERNET, 0, 0, tbf.packet_bytes, tbf.rate_bytes_ps)
    fixed = rate + bytes(_RATESPEC.size) + struct.pack("=III", tbf.limit_bytes, tbf.buffer_ticks, MTU_BYTES)
    options = _attribute(_TBF_PARMS, fixed)
    if tbf.burst_bytes:
        options += _attribute(_TBF_BURST, struct.pack("=I", tbf.burst_bytes))
    return _attribute(_KIND, b"tbf\0") + _attribute(_OPTIONS, options)


def netem_options(netem: Netem) -> bytes:
    """Encode a netem's kind and options."""
    step = netem.step
    delay, jitter = (round(time_s * 1e9 / _TICK_NS) for time_s in (step.delay_s, step.jitter_s))
    gap = int(step.reordering > 0)  # each packet may be the one that goes ahead
    options = struct.pack(
        "=IIIIII", delay, netem.limit_packets, _share(step.loss), gap, _share(step.duplication), jitter
    )
    # What is not sent stays as it was.
    options += _attribute(_NETEM_REORDER, struct.pack("=II", _share(step.reordering), _NO_CORRELATION))
    options += _attribute(_NETEM_CORRUPT, struct.pack("=II", _share(netem.corruption), _NO_CORRELATION))
    if step.gilbert_p > 0 or step.gilbert_r > 0:
        model = (step.gilbert_p, step.gilbert_r, 1 - step.loss_bad, step.loss)
        shares = struct.pack("=IIII", *map(_share, model))
        options += _attribute(_NETEM_LOSS | _NESTED, _attribute(_NETEM_LOSS_GE, shares))
    options += _attribute(_NETEM_RATE, struct.pack("=IiIi", netem.rate_bytes_ps, 0, 0, 0))
    return _attribute(_KIND, b"netem\0") + _attribute(_OPTIONS, options)


def _share(value: float) -> int:
    return min(round(value * 2**32), 2**32 - 1)


class QdiscSocket:
    """A socket to the kernel's traffic control in the network namespace it is opened in."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE)
        self._socket.bind((0, 0))

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def add(self, device: int, handle: int, parent: int, options: bytes) -> None:
        """Make a qdisc, or replace the one that is there; raises OSError, ENOENT for an unknown kind."""
        self._ask(_NEW, _CREATE | _REPLACE, device, handle, parent, options)

    def change(self, device: int, handle: int, parent: int, options: bytes) -> None:
        """Change a qdisc's settings; its packets stay."""
        self._ask(_NEW, 0, device, handle, parent, options)

    def remove(self, device: int, handle: int, parent: int) -> None:
        """Remove a qdisc, with all that waits in it."""
        self._ask(_DELETE, 0, device, handle, parent, b"")

    def counters(self) -> dict[tuple[int, int], Counters]:
        """Return the counters of all qdiscs by device and handle."""
        self._send(_GET, _DUMP, _TCMSG.pack(0, 0, 0, 0, 0))
        found: dict[tuple[int, int], Counters] = {}
        while True:
            for kind, body in _messages(self._socket.recv(_ANSWER_BYTES)):
                if kind == _DONE:
                    return found
                if kind == _NEW:
                    _, device, handle, _, _ = _TCMSG.unpack_from(body)
                    found[device, handle] = _counters(body[_TCMSG.size :])

    def _ask(self, kind: int, flags: int, device: int, handle: int, parent: int, options: bytes) -> None:
        table = _size_table() if parent == ROOT and kind == _NEW else b""
        self._send(kind, _ACK | flags, _TCMSG.pack(0, device, handle, parent, 0) + options + table)
        for answer, body in _messages(self._socket.recv(_ANSWER_BYTES)):
            (code,) = struct.unpack_from("=i", body) if answer == _ERROR else (0,)
            if code:
                raise OSError(-code, os.strerror(-code))

    def _send(self, kind: int, flags: int, body: bytes) -> None:
        self._socket.send(_HEADER.pack(_HEADER.size + len(body), kind, _REQUEST | flags, 0, 0) + body)


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while offset < len(data):
        length, kind, *_ = _HEADER.unpack_from(data, offset)
        yield kind, data[offset + _HEADER.size : offset + length]
        offset += length + -length % 4


def _attributes(data: bytes) -> dict[int, bytes]:
    found, offset = {}, 0
    while offset + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, offset)
        found[kind & 0x3FFF] = data[offset + 4 : offset + length]
        offset += length + -length % 4
    return found


def _counters(data: bytes) -> Counters:
    statistics = _attributes(_attributes(data).get(_STATS2, b""))
    sent_bytes, packets = struct.unpack_from("=QI", statistics.get(_STATS_BASIC, bytes(16)))
    waiting, backlog, drops = struct.unpack_from("=III", statistics.get(_STATS_QUEUE, bytes(20)))
    return Counters(sent_bytes, packets, drops, backlog, waiting)
