"""HTTP/1.1 client with persistent connections, which reports progress as a browser does."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

_LIMIT_S = 20.0
_STEP_S = 0.05
_CHUNK_BYTES = 1 << 18


@dataclass
class Fetched:
    """State of a request; times are s by the pool's clock, None if not reached.

    Attributes
    ----------
    outcome
        ``open``, then ``ok``, ``abandoned`` or ``failed``.
    """

    requested_s: float
    outcome: str = "open"
    size_bytes: int = 0
    first_byte_s: float | None = None
    ended_s: float | None = None
    body: bytes = b""


OnBytes = Callable[[int], None]
"""Called with the number of bytes just received."""

OnStep = Callable[[int, tuple[tuple[float, int], ...]], bool]
"""Called about every 50 ms with the file size and the steps (time, bytes so far); True ends the request."""


class Pool:
    """Pool of persistent connections to one server; a request uses an idle connection or a new one.

    Parameters
    ----------
    base
        Base of relative addresses.
    clock
        Returns the time, s.
    """

    def __init__(self, base: str, clock: Callable[[], float]) -> None:
        self._base = base
        self._clock = clock
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def get(
        self,
        path: str,
        on_bytes: OnBytes | None = None,
        on_step: OnStep | None = None,
        *,
        got: Fetched | None = None,
        keep: bool = False,
    ) -> Fetched:
        """Fetch a file into ``got``, with its body only if ``keep``; a failing server is an outcome, not an error."""
        address = urlsplit(urljoin(self._base, path))
        got = got or Fetched(self._clock())
        deadline = time.monotonic() + _LIMIT_S
        with self._lock:
            connection = self._idle.pop() if self._idle else http.client.HTTPConnection(address.netloc)
        try:
            connection.timeout = _LIMIT_S
            connection.request("GET", address.path)
            answer = connection.getresponse()
            got.first_byte_s = self._clock()
            good = answer.status == http.client.OK
            got.outcome = self._read(answer, got, on_bytes, on_step, deadline, keep) if good else "failed"
        except (OSError, http.client.HTTPException):
            got.outcome = "failed"
        if got.outcome == "ok":
            with self._lock:
                self._idle.append(connection)
        else:
            # HTTP/1.1 has no other way to end a request.
            connection.close()
        got.ended_s = self._clock()
        return got

    def _read(
        self,
        answer: http.client.HTTPResponse,
        got: Fetched,
        on_bytes: OnBytes | None,
        on_step: OnStep | None,
        deadline: float,
        keep: bool,
    ) -> str:
        size_bytes = int(answer.headers["Content-Length"])
        steps: list[tuple[float, int]] = []
        while got.size_bytes < size_bytes:
            chunk = answer.read1(_CHUNK_BYTES)
            if not chunk or time.monotonic() > deadline:
                return "failed"
            got.size_bytes += len(chunk)
            if on_bytes is not None:
                on_bytes(len(chunk))
            if keep:
                got.body += chunk
            now_s = self._clock()
            if not steps or now_s - steps[-1][0] >= _STEP_S:
                steps.append((now_s, got.size_bytes))
                if on_step is not None and got.size_bytes < size_bytes and on_step(size_bytes, tuple(steps)):
                    return "abandoned"
        # The body is complete, but only this read frees the connection for the next request.
        answer.read()
        return "ok"
