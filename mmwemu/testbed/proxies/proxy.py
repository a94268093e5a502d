"""The interface of proxies at the edge."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, Protocol

from mmwemu.testbed.place import Place

_MOST_WORDS = 300


@dataclass(frozen=True)
class Edge:
    """Where a proxy runs.

    Attributes
    ----------
    place
        The edge.
    addresses
        All IPv4 addresses of the edge itself, one on each of its links.
    """

    place: Place
    addresses: Sequence[str]


class Proxy(Protocol):
    """A proxy that was started."""

    def end(self) -> str:
        """Return why it runs no longer, empty while it does."""


Maker = Callable[[Edge], AbstractContextManager[Proxy]]
"""Starts a proxy at an edge, and ends it on leaving.

Raises MissingError if this machine lacks what the proxy needs, MmwemuError if it does not start.
"""


@dataclass(frozen=True)
class ProgramProxy:
    """A proxy that is a program of its own.

    Attributes
    ----------
    name
        Name of the program.
    process
        The program.
    log
        What it writes to stderr.
    """

    name: str
    process: subprocess.Popen[bytes]
    log: IO[bytes]

    def end(self) -> str:
        """Return why it runs no longer, empty while it does."""
        code = self.process.poll()
        if code is None:
            return ""
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return f"{self.name} {how}{self._said()}"

    def _said(self) -> str:
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1][:_MOST_WORDS]}" if lines else ""
