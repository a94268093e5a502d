"""What a client receives, counted as it writes it to a pipe instead of a file."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

_PIPE_BYTES = 2**20
_F_SETPIPE_SZ = 1031


class Arrival:
    """A pipe by name, to be written once.

    Attributes
    ----------
    received_bytes
        How much came so far.
    """

    def __init__(self, path: Path) -> None:
        self.received_bytes = 0
        os.mkfifo(path, 0o600)
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with suppress(OSError):  # an ordinary user has a limit for all his pipes
            fcntl.fcntl(self._fd, _F_SETPIPE_SZ, _PIPE_BYTES)

    def read(self) -> int:
        """Take what has come, and return how much came so far."""
        with suppress(BlockingIOError):
            while piece := len(os.read(self._fd, _PIPE_BYTES)):
                self.received_bytes += piece
        return self.received_bytes

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._fd)
