"""Files over HTTP/1.1 on a connection that is kept, with the progress that a browser would report."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

_LIMIT_S = 20.0
_STEP_S = 0.05
_CHUNK_BYTES = 1 << 18


@dataclass
class Fetched:
    """What came of a request; times are s as ``clock`` gives them, None where a point was not reached."""

    outcome: str
    size_bytes: int
    requested_s: float
    first_byte_s: float | None
    ended_s: float
    body: bytes = b""


OnStep = Callable[[int, tuple[tuple[float, int], ...]], bool]
"""Called about each 50 ms with the size of the file and the steps (time, bytes so far); True ends the request."""


class Fetcher:
    """One connection to one server.

    Parameters
    ----------
    base
        Address that others are relative to.
    clock
        Gives the time, s.
    on_bytes
        Called with the number of bytes of a body that just came.
    """

    def __init__(self, base: str, clock: Callable[[], float], on_bytes: Callable[[int], None]) -> None:
        self._base = base
        self._clock = clock
        self._on_bytes = on_bytes
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str, on_step: OnStep | None = None, *, keep: bool = False) -> Fetched:
        """Fetch a file and throw it away, unless it is to be kept; a server that fails is an outcome."""
        address = urlsplit(urljoin(self._base, path))
        got = Fetched("failed", 0, self._clock(), None, 0.0)
        deadline = time.monotonic() + _LIMIT_S
        try:
            connection = self._connection or http.client.HTTPConnection(address.netloc)
            self._connection = connection
            connection.timeout = _LIMIT_S
            connection.request("GET", address.path)
            answer = connection.getresponse()
            got.first_byte_s = self._clock()
            if answer.status == http.client.OK:
                got.outcome = self._read(answer, got, on_step, deadline, keep)
        except (OSError, http.client.HTTPException):
            got.outcome = "failed"
        if got.outcome != "ok":
            self.close()
        got.ended_s = self._clock()
        return got

    def close(self) -> None:
        """Give the connection up, as aborting a request over HTTP/1.1 does."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _read(
        self, answer: http.client.HTTPResponse, got: Fetched, on_step: OnStep | None, deadline: float, keep: bool
    ) -> str:
        size_bytes = int(answer.headers["Content-Length"])
        steps: list[tuple[float, int]] = []
        while got.size_bytes < size_bytes:
            chunk = answer.read1(_CHUNK_BYTES)
            if not chunk or time.monotonic() > deadline:
                return "failed"
            got.size_bytes += len(chunk)
            self._on_bytes(len(chunk))
            if keep:
                got.body += chunk
            now_s = self._clock()
            if not steps or now_s - steps[-1][0] >= _STEP_S:
                steps.append((now_s, got.size_bytes))
                if on_step is not None and got.size_bytes < size_bytes and on_step(size_bytes, tuple(steps)):
                    return "abandoned"
        # Nothing is left, but only this frees the connection for the next request.
        answer.read()
        return "ok"
