"""A download as it is asked for, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mmwemu.core.units import format_size

Protocol = Literal["http", "h3"]

Status = Literal["ok", "timeout", "failed"]


@dataclass(frozen=True)
class DownloadSettings:
    """Settings of a download.

    Attributes
    ----------
    size_bytes
        Size of the file.
    protocol
        ``http``: HTTP/1.1 without TLS, over TCP; ``h3``: HTTP/3, over QUIC.
    """

    size_bytes: int
    protocol: Protocol = "http"

    def __str__(self) -> str:
        """Return size and protocol in words."""
        return f"{format_size(self.size_bytes)}, {self.protocol}"


@dataclass(frozen=True)
class Download:
    """Result of a download; times count from the beginning of its connection, None if the point was not reached.

    Attributes
    ----------
    status
        ``ok``; ``timeout``: the limit ended the download, which is a valid result; ``failed``: see ``error``.
    received_bytes
        Received bytes of the file.
    duration_s
        Time from the start of the connection to the last byte, or to the limit.
    connect_s, ttfb_s
        Time until the TCP connection was established, None for HTTP/3; until the first byte.
    goodput_bps
        ``received_bytes`` over ``duration_s``, bit/s; None if the download failed.
    """

    status: Status
    error: str
    received_bytes: int
    duration_s: float
    connect_s: float | None
    ttfb_s: float | None
    goodput_bps: float | None


def result_of(
    status: Status,
    error: str,
    received_bytes: int,
    duration_s: float,
    connect_s: float | None = None,
    ttfb_s: float | None = None,
) -> Download:
    """Return the result with its goodput."""
    counts = status != "failed" and duration_s > 0
    goodput_bps = received_bytes * 8 / duration_s if counts else None
    return Download(status, error, received_bytes, duration_s, connect_s, ttfb_s, goodput_bps)
