"""A Dask cluster on this machine: one scheduler and its workers, as processes that end with this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.core.temporary import temporary_folder

if TYPE_CHECKING:
    from distributed import Security

_START_S = 60.0
_POLL_S = 0.05
_GRACE_S = 3.0


@dataclass(frozen=True)
class Cluster:
    """Where a scheduler listens, and how to speak to it.

    Attributes
    ----------
    address
        Such as ``tls://127.0.0.1:8786``.
    security
        Keys for TLS, None without.
    scheduler
        Its process if it is on this machine, None otherwise.
    """

    address: str
    security: Security | None = None
    scheduler: subprocess.Popen[bytes] | None = None


@contextmanager
def local_cluster(jobs: int) -> Iterator[Cluster]:
    """Yield a cluster with so many workers, which nobody else can use: it listens on loopback, with keys of its own.

    Raises
    ------
    MmwemuError
        If it does not start.
    """
    with temporary_folder("dask") as folder, ExitStack() as stack:
        security, options = _keys(folder)
        log = stack.enter_context((folder / "log").open("wb"))
        (folder / "work").mkdir()
        address = folder / "scheduler.json"
        scheduler = _start(
            ["dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--protocol", "tls", "--no-dashboard", "--no-show",
             "--scheduler-file", str(address), *options], folder, log)  # fmt: skip
        stack.callback(process.end, scheduler, _GRACE_S)
        _await(scheduler, address, folder / "log")
        for number in range(jobs):
            worker = _start(
                ["dask_worker", "--scheduler-file", str(address), "--host", "127.0.0.1", "--protocol", "tls",
                 "--nworkers", "1", "--nthreads", "1", "--memory-limit", "0", "--no-dashboard", "--name", str(number),
                 "--local-directory", str(folder / "work"), *options], folder, log)  # fmt: skip
            stack.callback(process.end, worker, _GRACE_S)
        yield Cluster(_address(address), security, scheduler)


def _keys(folder: Path) -> tuple[Security, list[str]]:
    """Return keys that were made for this cluster, and the options that name their files."""
    from distributed import Security

    security = Security.temporary()
    options = []
    for option, content in (("ca-file", security.tls_ca_file), ("cert", security.tls_client_cert),
                            ("key", security.tls_client_key)):  # fmt: skip
        path = folder / f"{option}.pem"
        path.touch(0o600)
        path.write_text(str(content), encoding="ascii")
        options += [f"--tls-{option}", str(path)]
    return security, options


def _start(words: list[str], folder: Path, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start one of Dask's programs, out of reach of the terminal's signals, which are for this process alone."""
    module, *options = words
    return process.start(
        [sys.executable, "-P", "-m", f"distributed.cli.{module}", *options],
        tied=True,
        env={**os.environ, "TMPDIR": str(folder / "work"), "MALLOC_ARENA_MAX": "2"},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )


def _await(scheduler: subprocess.Popen[bytes], address: Path, log: Path) -> None:
    end_s = time.monotonic() + _START_S
    while not _address(address):
        if scheduler.poll() is not None or time.monotonic() > end_s:
            lines = log.read_text(errors="replace").split("\n")
            last = next((line for line in reversed(lines) if line.strip()), "no message")
            raise MmwemuError(f"the Dask scheduler does not start: {last}")
        time.sleep(_POLL_S)


def _address(path: Path) -> str:
    """Return the address in a scheduler's file, empty while it is not written."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["address"])
    except (OSError, ValueError, KeyError):
        return ""
