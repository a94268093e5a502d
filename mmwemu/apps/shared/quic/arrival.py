"""What clients receive, counted as they write it to pipes instead of files."""

from __future__ import annotations

import fcntl
import os
import select
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PIPE_BYTES = 2**20
_F_SETPIPE_SZ = 1031
# Shorter than what a pipe holds at 1 Gbit/s.
_LOOK_S = 0.002
# So much may come within that time; less is awaited without a pause.
_NEAR_BYTES = 400_000
_PATIENCE_MS = 20


@dataclass(frozen=True)
class Arrived:
    """What has come.

    Attributes
    ----------
    received_bytes
        In all.
    first_s, latest_s
        When the first byte was read, None before, and until when was read, at most until all that is awaited was there,
        s of CLOCK_MONOTONIC.
    """

    received_bytes: int
    first_s: float | None
    latest_s: float


class Arrival:
    """A pipe by name, to be written once: its descriptor ``fd``; ``received_bytes`` came so far."""

    def __init__(self, path: Path) -> None:
        self.received_bytes = 0
        os.mkfifo(path, 0o600)
        self.fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with suppress(OSError):  # an ordinary user has a limit for all his pipes
            fcntl.fcntl(self.fd, _F_SETPIPE_SZ, _PIPE_BYTES)

    def read(self) -> None:
        """Take what has come."""
        with suppress(BlockingIOError):
            while piece := len(os.read(self.fd, _PIPE_BYTES)):
                self.received_bytes += piece

    def close(self) -> None:
        """Close the pipe."""
        os.close(self.fd)


class Counter(threading.Thread):
    """Takes what comes through pipes, ``awaited_bytes`` in all, until `stop`, and closes them.

    Attributes
    ----------
    arrived
        What has come so far, through all pipes.
    each
        The pipes, in the order of their paths.
    """

    def __init__(self, paths: list[Path], awaited_bytes: int) -> None:
        super().__init__(daemon=True)
        self.each = [Arrival(path) for path in paths]
        self.arrived = Arrived(0, None, time.monotonic())
        self._awaited_bytes = awaited_bytes
        self._over = threading.Event()

    def run(self) -> None:
        """Read again and again: the first bytes and the last as they come, in between after pauses."""
        poller = select.poll()
        for one in self.each:
            poller.register(one.fd, select.POLLIN)
        while not self._over.is_set():
            poller.poll(_PATIENCE_MS)
            self.look()
            if not 0 < self._awaited_bytes - self.arrived.received_bytes <= _NEAR_BYTES:
                self._over.wait(_LOOK_S)

    def look(self) -> None:
        """Take what has come through all pipes."""
        for one in self.each:
            one.read()
        received, now_s = sum(one.received_bytes for one in self.each), time.monotonic()
        if self.arrived.received_bytes < self._awaited_bytes:
            first_s = self.arrived.first_s if self.arrived.first_s is not None or not received else now_s
            self.arrived = Arrived(received, first_s, now_s)

    def stop(self) -> None:
        """End the thread, and take what is left."""
        self._over.set()
        self.join()
        self.look()
        for one in self.each:
            one.close()
