"""The sender's choices of TCP in a testbed: initial windows, pacing, socket buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mmwemu.core.bounds import (
    HIGHEST_RATE_BPS,
    LARGEST_WINDOW_BYTES,
    LARGEST_WINDOW_PACKETS,
    LEAST_PACING_BPS,
    LEAST_WINDOW_BYTES,
)
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.link.profile import MTU_BYTES

MSS_BYTES = 1448
"""Payload of a packet of `MTU_BYTES` after the headers of IP and TCP with timestamps."""

# As the emulator sets them at the start (system/namespaces.cpp): least, default, most.
_LEAST_BYTES, _RECEIVE_BYTES, _SEND_BYTES, _MOST_BYTES = 4096, 131_072, 65_536, 67_108_864
# Half of a new receive buffer is the largest first window, and the kernel's own share of a packet is up to its size.
_RECEIVE_BYTES_PER_PACKET = 4 * MTU_BYTES
_LEAST_BYTES_PER_PACKET = 2 * MTU_BYTES


@dataclass(frozen=True)
class TcpChoices:
    """What the sender of a TCP connection chooses; None leaves it to the kernel.

    Attributes
    ----------
    initial_window
        First congestion window of all connections, and first receive window, packets.
    pacing_bps
        The highest rate at which a server sends payload on each connection, bit/s.
    window_bytes
        Size of the receive buffers of new sockets, which the kernel then leaves as it is, and the most that send
        buffers grow to, bytes; the kernel's bookkeeping is in it.

    Raises
    ------
    InputError
        If the kernel does not take a value, or the buffers cannot hold the first window.
    """

    initial_window: int | None = None
    pacing_bps: float | None = None
    window_bytes: int | None = None

    def __post_init__(self) -> None:
        _check("initial-window", self.initial_window, 1, LARGEST_WINDOW_PACKETS, "packets")
        _check("pacing", self.pacing_bps, LEAST_PACING_BPS, HIGHEST_RATE_BPS, "bit/s")
        _check("window", self.window_bytes, LEAST_WINDOW_BYTES, LARGEST_WINDOW_BYTES, "bytes")
        if self.window_bytes is not None and self.initial_window is not None:
            needed = self.initial_window * _LEAST_BYTES_PER_PACKET
            if self.window_bytes < needed:
                problem = f"is {self.window_bytes} bytes; an initial window of {self.initial_window} packets needs"
                raise InputError("window", f"{problem} at least {needed}")

    @property
    def any(self) -> bool:
        """Whether anything was chosen."""
        return self != TcpChoices()

    @property
    def receive_buffer(self) -> str:
        """The kernel's least, default and largest receive buffer, bytes, as in ``net.ipv4.tcp_rmem``."""
        if self.window_bytes is not None:
            return f"{min(_LEAST_BYTES, self.window_bytes)} {self.window_bytes} {self.window_bytes}"
        default = max(_RECEIVE_BYTES, (self.initial_window or 0) * _RECEIVE_BYTES_PER_PACKET)
        return f"{_LEAST_BYTES} {default} {_MOST_BYTES}"

    @property
    def send_buffer(self) -> str:
        """The kernel's least, default and largest send buffer, bytes, as in ``net.ipv4.tcp_wmem``."""
        most = self.window_bytes or _MOST_BYTES
        return f"{min(_LEAST_BYTES, most)} {min(_SEND_BYTES, most)} {most}"

    @property
    def most_send_buffer_bytes(self) -> int:
        """The largest send buffer, bytes; that of a server that listened before is at least the kernel's default."""
        return max(self.window_bytes or _MOST_BYTES, _SEND_BYTES)


def _check(name: str, value: float | None, least: float, most: float, unit: str) -> None:
    if value is not None and not least <= value <= most:
        raise InputError(name, f"is {digits(value)} {unit}; must be from {digits(least)} to {digits(most)}")


class TcpPart(Protocol):
    """A part of a testbed whose networks have TCP settings."""

    def set_congestion_control(self, name: str) -> None:
        """Set the congestion control of connections made from now on."""

    def set_windows(self, choices: TcpChoices) -> None:
        """Set initial windows and socket buffers of connections made from now on."""
