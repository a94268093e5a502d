"""The qdiscs of a replay on the kernel's devices."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from mmwemu.testbed.backends.tc.netem import Netem
from mmwemu.testbed.backends.tc.rtnetlink import ROOT, Counters, QdiscSocket, netem_options, tbf_options
from mmwemu.testbed.backends.tc.tbf import Tbf

_NETEM, _TBF = 0x10000, 0x20000
# A frame that no protocol takes (IEEE 802, local experimental): it has a qdisc look at what waits.
_WAKING_FRAME = bytes(12) + b"\x88\xb5"
_NOTHING = Counters(0, 0, 0, 0, 0)
_ALL_PROTOCOLS = 0x0300  # ETH_P_ALL in network order
_OUTGOING = 4
_READINGS, _PROMPT_S = 3, 0.0005


class KernelQdiscs:
    """See `mmwemu.testbed.backends.tc.replayer.QdiscPair`.

    Parameters
    ----------
    devices
        Number of the device at whose egress each direction is shaped.
    """

    def __init__(self, qdiscs: QdiscSocket, devices: Sequence[int]) -> None:
        self._qdiscs, self._devices = qdiscs, devices
        self._has: list[tuple[bool, bool]] = [(False, False)] * len(devices)
        self._counters: dict[tuple[int, int], Counters] = {}
        self._woken = [0] * len(devices)
        self._refused = [0] * len(devices)
        self._waker = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)

    def install(self, direction: int, netem: Netem | None, tbf: Tbf | None) -> None:
        """Replace the qdiscs by new ones; packets in the old ones are gone."""
        device = self._devices[direction]
        with suppress(FileNotFoundError):
            self._qdiscs.remove(device, 0, ROOT)
        if netem is not None:
            self._qdiscs.add(device, _NETEM, ROOT, netem_options(netem))
        if tbf is not None:
            self._qdiscs.add(device, _TBF, self._parent(netem is not None), tbf_options(tbf))
        self._has[direction] = (netem is not None, tbf is not None)
        self._woken[direction] = self._refused[direction] = 0

    def set_netem(self, direction: int, netem: Netem) -> None:
        """Change delay and loss."""
        self._qdiscs.change(self._devices[direction], _NETEM, ROOT, netem_options(netem))

    def set_tbf(self, direction: int, tbf: Tbf, *, wake: bool) -> None:
        """Change the rate; ``wake`` where the qdisc may sleep past the change."""
        parent = self._parent(self._has[direction][0])
        self._qdiscs.change(self._devices[direction], _TBF, parent, tbf_options(tbf))
        if wake:
            try:
                self._waker.sendto(_WAKING_FRAME, socket.MSG_DONTWAIT, (self._name(direction), 0))
                self._woken[direction] += 1
            except OSError:  # ENOBUFS: the queue is full; it has looked all the same
                self._refused[direction] += 1

    def refresh(self) -> float:
        """Read all counters; return when they had these values, on the monotonic clock, s.

        Read again where the machine has kept this process waiting meanwhile.
        """
        for _ in range(_READINGS):
            before_s = time.monotonic()
            self._counters = self._qdiscs.counters()
            after_s = time.monotonic()
            if after_s - before_s < _PROMPT_S:
                break
        return (before_s + after_s) / 2

    def counters(self, direction: int) -> tuple[Counters, Counters]:
        """Return the counters of netem and tbf, without frames of our own."""
        device = self._devices[direction]
        has_netem, has_tbf = self._has[direction]
        inner = self._counters.get((device, _TBF if has_tbf else _NETEM), _NOTHING)
        outer = self._counters.get((device, _NETEM), _NOTHING) if has_netem else inner
        if not has_tbf:
            return outer, replace(inner, drops=0)
        ours = self._woken[direction]  # to the qdisc each is a packet of one byte
        refused = self._refused[direction]
        inner = replace(
            inner,
            bytes=max(0, inner.bytes - ours),
            packets=max(0, inner.packets - ours),
            drops=max(0, inner.drops - refused),
        )
        return replace(outer, drops=max(0, outer.drops - refused)) if has_netem else inner, inner

    def close(self) -> None:
        """Close the sockets."""
        self._waker.close()
        self._qdiscs.close()

    def _name(self, direction: int) -> str:
        return socket.if_indextoname(self._devices[direction])

    @staticmethod
    def _parent(below_netem: bool) -> int:
        return _NETEM | 1 if below_netem else ROOT


class FirstPacket:
    """Watches the router's devices for the packet that starts a pattern.

    Any packet that is not TCP, opens a TCP connection or carries data.
    """

    def __init__(self, devices: Sequence[int]) -> None:
        self._devices = set(devices)
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC, socket.htons(0x0003))
        self._socket.setblocking(False)

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._socket.fileno()

    def seen(self) -> float | None:
        """Return the time on the monotonic clock if the packet has come, else None."""
        while True:
            try:
                data, (_, protocol, kind, *_) = self._socket.recvfrom(128)
            except BlockingIOError:
                return None
            if kind != _OUTGOING and protocol == 0x0800 and starts(data):
                return time.monotonic()

    def close(self) -> None:
        """Stop watching."""
        self._socket.close()


def starts(packet: bytes) -> bool:
    """Return whether an IPv4 packet starts a pattern."""
    header_bytes = (packet[0] & 15) * 4
    if packet[9] != socket.IPPROTO_TCP or len(packet) < header_bytes + 20:
        return True
    opens = packet[header_bytes + 13] & 0x02 != 0
    data_bytes = int.from_bytes(packet[2:4], "big") - header_bytes - (packet[header_bytes + 12] >> 4) * 4
    return opens or data_bytes > 0
