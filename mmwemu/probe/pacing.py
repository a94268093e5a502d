"""Pacing of a server's connections: ``python -m mmwemu.probe.pacing BYTES_PER_S``.

Run beside a server, it sets SO_MAX_PACING_RATE of every TCP socket that listens there, which the connections accepted
from then on inherit, whatever the server's program. ``none`` lifts the limit; the kernel then still spaces packets, by
twice the congestion window in a round trip, so a socket that was never paced is another thing.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmwemu.testbed.place import Place

# Of asm-generic/unistd.h and asm-generic/socket.h.
_PIDFD_GETFD, _SO_MAX_PACING_RATE = 438, 47
_LISTEN = "0A"
_UNLIMITED = 2**64 - 1
_LIMIT_S = 20.0


@contextmanager
def paced(place: Place, rate_bps: float | None) -> Iterator[None]:
    """Limit the rate of each connection that the servers of a place accept until the block ends.

    Parameters
    ----------
    place
        Where the servers listen already.
    rate_bps
        Rate of payload, bit/s; None for no limit.

    Raises
    ------
    MissingError
        If this machine does not let a process get another one's sockets.
    """
    if rate_bps is None:
        yield
        return
    _pace(place, str(round(rate_bps / 8)))
    try:
        yield
    finally:
        _pace(place, "none")


def _pace(place: Place, rate: str) -> None:
    from mmwemu.core.errors import MissingError

    argv = [sys.executable, "-P", "-m", "mmwemu.probe.pacing", rate]
    tool = place.popen(argv, probe=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    _, problem = tool.communicate(timeout=_LIMIT_S)
    if tool.returncode:
        words = problem.strip().splitlines()
        remedy = "it takes Linux 5.6, and kernel.yama.ptrace_scope below 3"
        raise MissingError(f"the server's sockets cannot be paced: {words[-1] if words else 'no reason told'}", remedy)


def main(rate: str) -> None:
    """Set the rate of every socket that listens in this network."""
    bytes_per_s = _UNLIMITED if rate == "none" else int(rate)
    for listener in _listeners():
        with listener:
            listener.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, struct.pack("Q", bytes_per_s))


def _listeners() -> Iterator[socket.socket]:
    """Yield each TCP socket that listens in this network, once, by a descriptor of our own."""
    missing = _listening_inodes()
    for folder in sorted(Path("/proc").glob("[0-9]*/fd")):
        if not missing:
            return
        try:
            links = {int(one.name): str(one.readlink()) for one in folder.iterdir()}
        except OSError:  # the process has ended, or belongs to somebody else
            continue
        for number, target in links.items():
            if target in missing:
                missing.discard(target)
                yield _copy(int(folder.parent.name), number)
    if missing:
        raise OSError(f"no process here has {', '.join(sorted(missing))}")


def _listening_inodes() -> set[str]:
    """Return the sockets that listen, as /proc names open files: ``socket:[4711]``."""
    found = set()
    for name in ("tcp", "tcp6"):
        with suppress(FileNotFoundError):
            rows = [line.split() for line in Path("/proc/self/net", name).read_text(encoding="ascii").splitlines()[1:]]
            found |= {f"socket:[{row[9]}]" for row in rows if row[3] == _LISTEN}
    return found


def _copy(pid: int, number: int) -> socket.socket:
    """Return a socket of another process."""
    libc = ctypes.CDLL(None, use_errno=True)
    process = os.pidfd_open(pid)
    try:
        ours = libc.syscall(_PIDFD_GETFD, process, number, 0)
    finally:
        os.close(process)
    if ours < 0:
        raise OSError(ctypes.get_errno(), f"pidfd_getfd: {os.strerror(ctypes.get_errno())}")
    return socket.socket(fileno=ours)


if __name__ == "__main__":
    main(sys.argv[1])
