"""A user: fetches files of drawn sizes with drawn pauses, by HTTP: ``python user.py SETTINGS``, settings in JSON.

A program of the standard library alone, so that many start quickly. Says ``ready``, begins at a line on standard input
and prints its downloads as JSON. Each download is a connection of its own and asks for the first bytes of one large
file; the kernel discards what arrives (MSG_TRUNC), so that the client costs little.
"""

from __future__ import annotations

import json
import math
import random
import socket
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

_PORT = 80
_MOST_HEAD_BYTES = 16384
_AT_ONCE_BYTES = 1 << 20


def draws(settings: Mapping[str, Any]) -> tuple[Callable[[], int], Callable[[], float]]:
    """Return what draws the next size, bytes, and the next pause, s.

    Sizes are log-normal with this mean and standard deviation, pauses exponential with this mean; both are drawn again
    until they are within their bounds. Both have a generator of their own, seeded by ``seed`` and ``client``.
    """
    mean, deviation = settings["size_mean_bytes"], settings["size_sd_bytes"]
    sigma = math.sqrt(math.log(1 + (deviation / mean) ** 2))
    mu = math.log(mean) - sigma**2 / 2
    of_sizes, of_pauses = (random.Random(f"{settings['seed']} {settings['client']} {what}") for what in "sp")

    def size() -> int:
        while True:
            drawn = round(of_sizes.lognormvariate(mu, sigma))
            if settings["size_least_bytes"] <= drawn <= settings["size_most_bytes"]:
                return drawn

    def pause() -> float:
        while True:
            drawn = of_pauses.expovariate(1 / settings["pause_mean_s"]) if settings["pause_mean_s"] else 0.0
            if settings["pause_least_s"] <= drawn <= settings["pause_most_s"]:
                return drawn

    return size, pause


def fetch(settings: Mapping[str, Any], size_bytes: int, end_s: float, row: dict[str, Any]) -> None:
    """Fetch the first bytes of the file and fill in what became of it.

    Raises
    ------
    TimeoutError
        At ``end_s`` of the monotonic clock.
    OSError
        If the server does not answer as it should.
    """
    connection = socket.socket()
    try:
        _until(end_s, connection)
        connection.connect((settings["server"], _PORT))
        request = f"GET {settings['path']} HTTP/1.1\r\nHost: {settings['server']}\r\nRange: bytes=0-{size_bytes - 1}"
        connection.sendall(f"{request}\r\nConnection: close\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            _until(end_s, connection)
            part = connection.recv(_MOST_HEAD_BYTES)
            head += part
            if not part or len(head) > 2 * _MOST_HEAD_BYTES:
                raise OSError("the server's answer is cut off")
        head, _, body = head.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 206 "):
            raise OSError(f"the server answers {head.splitlines()[0].decode(errors='replace')}")
        row["received_bytes"] = len(body)
        nothing = bytearray(_AT_ONCE_BYTES)
        while row["received_bytes"] < size_bytes:
            _until(end_s, connection)
            count = connection.recv_into(nothing, 0, socket.MSG_TRUNC)
            if count == 0:
                raise OSError(f"the server sent {row['received_bytes']} of {size_bytes} bytes")
            row["received_bytes"] += count
    finally:
        connection.close()


def _until(end_s: float, connection: socket.socket) -> None:
    left_s = end_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    connection.settimeout(left_s)


def use(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Fetch and pause until the time is over, beginning with a pause.

    Returns
    -------
    ``downloads`` with number, size_bytes, start_s, end_s, received_bytes and finished; ``error``, empty without one.
    """
    size, pause = draws(settings)
    begin_s = time.monotonic()
    end_s = begin_s + settings["duration_s"]
    downloads: list[dict[str, Any]] = []
    while True:
        start_s = time.monotonic() + pause()
        if start_s >= end_s:
            time.sleep(max(0.0, end_s - time.monotonic()))
            return {"downloads": downloads, "error": ""}
        time.sleep(max(0.0, start_s - time.monotonic()))
        size_bytes = size()
        row: dict[str, Any] = {"number": len(downloads) + 1, "size_bytes": size_bytes}
        row |= {"start_s": time.monotonic() - begin_s, "received_bytes": 0, "finished": False}
        downloads.append(row)
        error = ""
        try:
            fetch(settings, size_bytes, end_s, row)
            row["finished"] = True
        except TimeoutError:
            pass  # the time is over
        except OSError as problem:
            error = f"download {row['number']}: {problem.strerror or problem}"
        row["end_s"] = time.monotonic() - begin_s
        if error or not row["finished"]:
            return {"downloads": downloads, "error": error}


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps(use(asked)), flush=True)
