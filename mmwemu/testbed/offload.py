"""Switch off what joins packets into larger ones: a qdisc counts such a one as a single packet."""

from __future__ import annotations

import array
import fcntl
import socket
import struct

from mmwemu.core.errors import MmwemuError

_SIOCETHTOOL = 0x8946
# Name: command that asks, command that sets (Linux, include/uapi/linux/ethtool.h).
_OFFLOADS = {"TSO": (0x1E, 0x1F), "GSO": (0x23, 0x24), "GRO": (0x2B, 0x2C)}
NAMES = tuple(_OFFLOADS)


def switch_off(device: str) -> None:
    """Switch TSO, GSO and GRO of a device of this network namespace off and verify it.

    Raises
    ------
    MmwemuError
        If one stays on.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for name, (ask, order) in _OFFLOADS.items():
            _command(sock, device, order, 0)
            if _command(sock, device, ask, 0):
                raise MmwemuError(f"{name} of {device} stays on; packets would be joined")


def _command(sock: socket.socket, device: str, command: int, value: int) -> int:
    words = array.array("I", [command, value])
    request = struct.pack("=16sQ", device.encode(), words.buffer_info()[0])
    fcntl.ioctl(sock, _SIOCETHTOOL, request)
    return words[1]
