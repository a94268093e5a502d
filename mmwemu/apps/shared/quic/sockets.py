"""UDP sockets: which ports are bound, whether a program has one, and what they had no room for."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from mmwemu.core.errors import MmwemuError
from mmwemu.testbed.place import Place
from mmwemu.testbed.sandbox import children

_READY_LIMIT_S = 10.0
_PAUSE_S = 0.01


def wait_until_bound(place: Place, ports: Iterable[int], programs: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait until there are sockets of UDP on all ports.

    Raises
    ------
    MmwemuError
        If one of the programs ends before, or it takes too long.
    """
    wanted = set(ports)
    deadline = time.monotonic() + _READY_LIMIT_S
    while not wanted <= bound_ports(_read(place, "/proc/net/udp")):
        ended = next((one for one in programs if one.poll() is not None), None)
        if ended is not None:
            raise MmwemuError(f"the QUIC server did not start: exit code {ended.returncode}")
        if time.monotonic() > deadline:
            raise MmwemuError(f"the QUIC server did not start within {_READY_LIMIT_S:g} s")
        time.sleep(_PAUSE_S)


def has_socket(pid: int) -> bool:
    """Return whether a program that was started at a place has a socket; ``pid`` may be that of its starter."""
    try:
        opened = [fd for one in (pid, *children(pid)) for fd in Path(f"/proc/{one}/fd").iterdir()]
        return any(str(fd.readlink()).startswith("socket:") for fd in opened)
    except OSError:  # one of them has ended, or it is about to be another program
        return False


def dropped_datagrams(place: Place) -> int:
    """Return how many datagrams the sockets of a place had no room for so far."""
    return receive_errors(_read(place, "/proc/net/snmp"))


def bound_ports(table: str) -> set[int]:
    """Return the local ports in the text of /proc/net/udp."""
    rows = (line.split() for line in table.splitlines()[1:])
    return {int(row[1].rpartition(":")[2], 16) for row in rows}


def receive_errors(table: str) -> int:
    """Return the counter RcvbufErrors of UDP in the text of /proc/net/snmp."""
    names, values = (line.split() for line in table.splitlines() if line.startswith("Udp:"))
    return int(values[names.index("RcvbufErrors")])


def _read(place: Place, path: str) -> str:
    with place.popen(["cat", path], probe=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as reader:
        output, _ = reader.communicate()
    return str(output, encoding="ascii")
