"""Client that downloads a file by curl, with curl's timings."""

from __future__ import annotations

import json
import subprocess

from mmwemu.apps.download.settings import Download, Status, result_of
from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.testbed.place import Place

_TIMED_OUT = 28
# Time that curl may need to exit after its own limit.
_GRACE_S = 5.0


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
    return result_of(
        status,
        "" if status == "ok" else error,
        received,
        duration_s,
        seconds("time_connect") or None,
        seconds("time_starttransfer") or None,
    )
