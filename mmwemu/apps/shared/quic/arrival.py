"""What clients receive, counted as they write it to pipes instead of files."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PIPE_BYTES = 2**20
_F_SETPIPE_SZ = 1031
# Shorter than what a pipe holds at 1 Gbit/s.
_LOOK_S = 0.002


@dataclass(frozen=True)
class Arrived:
    """What has come.

    Attributes
    ----------
    received_bytes
        In all.
    first_s, latest_s
        When the first byte was read, None before, and until when was read, s of CLOCK_MONOTONIC.
    """

    received_bytes: int
    first_s: float | None
    latest_s: float


class Arrival:
    """A pipe by name, to be written once; ``received_bytes`` came so far."""

    def __init__(self, path: Path) -> None:
        self.received_bytes = 0
        os.mkfifo(path, 0o600)
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with suppress(OSError):  # an ordinary user has a limit for all his pipes
            fcntl.fcntl(self._fd, _F_SETPIPE_SZ, _PIPE_BYTES)

    def read(self) -> None:
        """Take what has come."""
        with suppress(BlockingIOError):
            while piece := len(os.read(self._fd, _PIPE_BYTES)):
                self.received_bytes += piece

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._fd)


class Counter(threading.Thread):
    """Takes what comes through pipes, until `stop`, and closes them.

    Attributes
    ----------
    arrived
        What has come so far, through all pipes.
    each
        The pipes, in the order of their paths.
    """

    def __init__(self, paths: list[Path]) -> None:
        super().__init__(daemon=True)
        self.each = [Arrival(path) for path in paths]
        self.arrived = Arrived(0, None, time.monotonic())
        self._over = threading.Event()

    def run(self) -> None:
        """Read again and again."""
        while not self._over.wait(_LOOK_S):
            self.look()

    def look(self) -> None:
        """Take what has come through all pipes."""
        for one in self.each:
            one.read()
        received, now_s = sum(one.received_bytes for one in self.each), time.monotonic()
        first_s = self.arrived.first_s if self.arrived.first_s is not None or not received else now_s
        self.arrived = Arrived(received, first_s, now_s)

    def stop(self) -> None:
        """End the thread, and take what is left."""
        self._over.set()
        self.join()
        self.look()
        for one in self.each:
            one.close()
