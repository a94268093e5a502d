"""Client that downloads a file by curl, with curl's timings."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import Literal

from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.testbed.place import Place

Status = Literal["ok", "timeout", "failed"]

_TIMED_OUT = 28
# Time that curl may need to exit after its own limit.
_GRACE_S = 5.0


@dataclass(frozen=True)
class Download:
    """Result of a download; times count from the start of curl's transfer, None if the point was not reached.

    Attributes
    ----------
    status
        ``ok``; ``timeout``: the limit ended the download, which is a valid result; ``failed``: see ``error``.
    received_bytes
        Received bytes of the file.
    duration_s
        Time from the start of the connection to the last byte, or to the limit.
    connect_s, ttfb_s
        Time until the TCP connection was established; until the first byte.
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


def find_curl() -> str:
    """Return the path of curl.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    return process.find_tool("curl", "install it: sudo apt-get install curl")


def download(client: Place, url: str, size_bytes: int, limit_s: float = 40.0) -> Download:
    """Download ``url`` on a client and discard the content.

    Raises
    ------
    MissingError
        If curl is not installed.
    MmwemuError
        If curl itself fails; a server that does not answer is a `Download` with status ``failed``.
    """
    argv = [find_curl(), "--silent", "--fail", "--noproxy", "*", "--output", "/dev/null"]
    argv += ["--write-out", "%{json}", "--max-time", f"{limit_s:g}", url]
    curl = client.popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, stderr = curl.communicate(timeout=limit_s + _GRACE_S)
    except BaseException:
        curl.kill()
        curl.wait()
        raise
    try:
        return interpret(json.loads(output), size_bytes)
    except (ValueError, KeyError):
        words = (stderr or output).decode(errors="replace").strip() or f"exit code {curl.returncode}"
        raise MmwemuError(f"curl returned no result: {words}") from None


def interpret(result: dict[str, object], size_bytes: int) -> Download:
    """Return the `Download` in curl's JSON; a file not of ``size_bytes`` is a failure."""

    def seconds(key: str) -> float:
        return float(str(result[key]))

    exit_code = int(str(result["exitcode"]))
    received = int(str(result["size_download"]))
    duration_s = seconds("time_total")
    error = str(result.get("errormsg") or "")
    status: Status = "timeout" if exit_code == _TIMED_OUT else "failed" if exit_code else "ok"
    if status == "ok" and received != size_bytes:
        status, error = "failed", f"received {received} of {size_bytes} bytes"
    return Download(
        status=status,
        error="" if status == "ok" else error,
        received_bytes=received,
        duration_s=duration_s,
        connect_s=seconds("time_connect") or None,
        ttfb_s=seconds("time_starttransfer") or None,
        goodput_bps=None if status == "failed" or duration_s <= 0 else received * 8 / duration_s,
    )
