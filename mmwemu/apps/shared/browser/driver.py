"""Communication with a driver on a client, or with a player in its place, one request at a time."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mmwemu.core import process
from mmwemu.core.errors import MmwemuError

_READY, _GO = "ready", "go"


class BrokenDriverError(MmwemuError):
    """The driver ended or hung: this run failed, and the next run starts a new driver."""


class Driver:
    """A program that answers one request at a time; it ends with its testbed or on `close`.

    Parameters
    ----------
    start
        Starts a program in its place, as `mmwemu.testbed.place.Place.popen`.
    argv
        Command of the program.
    what
        Name of the program in errors.
    """

    def __init__(self, start: Callable[..., subprocess.Popen[Any]], argv: Sequence[str], what: str) -> None:
        self._start_program = start
        self._argv = argv
        self._what = what
        self._process: subprocess.Popen[bytes] | None = None
        # In memory, so that the driver can report even a full disk.
        self._stderr = os.fdopen(os.memfd_create("mmwemu-driver", os.MFD_CLOEXEC), "w+b")

    def ask(self, request: Mapping[str, object], limit_s: float, go: Callable[[], None]) -> str:
        """Return the answer to a request; ``go`` is called when the driver is ready for the measured work.

        Raises
        ------
        BrokenDriverError
            If the driver ends, or does not answer within ``limit_s``; it is then terminated.
        """
        if self._process is None or self._process.poll() is not None:
            self._process = self._start()
        driver = self._process
        try:
            return self._exchange(driver, json.dumps(request), limit_s, go)
        except BrokenPipeError:
            self._process = None
            raise BrokenDriverError(f"{self._what}'s driver ended: {self._last_error(driver)}") from None
        except BaseException:
            process.end(driver)  # ends its browser too
            self._process = None
            raise

    def close(self) -> None:
        """End the driver and its browser; harmless if they have ended."""
        if self._process is not None:
            process.end(self._process)
            self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        self._stderr.seek(0)
        self._stderr.truncate()
        pipe = subprocess.PIPE
        started: subprocess.Popen[Any] = self._start_program(
            self._argv, stdin=pipe, stdout=pipe, stderr=self._stderr, bufsize=0
        )
        return started

    def _last_error(self, driver: subprocess.Popen[bytes]) -> str:
        code = driver.wait()
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").splitlines()
        return next((line.strip() for line in lines if "Error" in line), f"exit code {code}")

    def _exchange(self, driver: subprocess.Popen[bytes], request: str, limit_s: float, go: Callable[[], None]) -> str:
        """Send a request and return the answer; the driver may report that it is ready in between."""
        answer = self._send_line(driver, request, limit_s)
        if answer == _READY:
            go()
            answer = self._send_line(driver, _GO, limit_s)
        return answer

    def _send_line(self, driver: subprocess.Popen[bytes], line: str, limit_s: float) -> str:
        assert driver.stdin is not None and driver.stdout is not None
        driver.stdin.write(line.encode() + b"\n")
        deadline_s = time.monotonic() + limit_s
        answer = b""
        with selectors.DefaultSelector() as selector:
            selector.register(driver.stdout, selectors.EVENT_READ)
            while not answer.endswith(b"\n"):
                if not selector.select(max(0.0, deadline_s - time.monotonic())):
                    raise BrokenDriverError(f"{self._what} hung for {limit_s:g} s")
                part = driver.stdout.read(1 << 16)
                if not part:
                    raise BrokenPipeError
                answer += part
        return answer.decode().removesuffix("\n")


def end_browser(profile: Path) -> None:
    """End the browser of a profile, which may outlive its driver."""
    for _ in range(50):
        left = _running_with(f"--user-data-dir={profile}")
        if not left:
            return
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def _running_with(argument: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.fsencode(argument) in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found
