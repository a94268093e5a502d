"""The program for Node that drives browsers, kept from load to load."""

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
from typing import Any, Protocol

from mmwemu.apps.shared.browser.modules import Tools
from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.link.settings import Role


class Place(Protocol):
    """Where the runner and its browsers run: a testbed, for one."""

    def popen(self, role: Role, argv: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
        """Start a program on the client."""


_READY, _GO = "ready", "go"


class BrokenRunnerError(MmwemuError):
    """The runner ended or hung: this load failed, the next one has a new runner."""


class Program:
    """A program on the client that answers one request at a time; it ends with its testbed, or by `close`.

    Parameters
    ----------
    argv
        How to start it.
    what
        What it is called in errors.
    """

    def __init__(self, argv: Sequence[str], what: str) -> None:
        self._argv = argv
        self._what = what
        self._process: subprocess.Popen[bytes] | None = None
        # In memory: a full disk is one of the things it may complain of.
        self._complaints = os.fdopen(os.memfd_create("mmwemu-runner", os.MFD_CLOEXEC), "w+b")

    def ask(self, place: Place, request: Mapping[str, object], limit_s: float, go: Callable[[], None]) -> str:
        """Give what the runner answers; ``go`` is called when all is ready and only what is to be measured is left.

        Raises
        ------
        BrokenRunnerError
            If it ends, or is not ready or has not answered after ``limit_s``; it is ended then.
        """
        if self._process is None or self._process.poll() is not None:
            self._process = self._start(place)
        runner = self._process
        try:
            return self._exchange(runner, json.dumps(request), limit_s, go)
        except BrokenPipeError:
            self._process = None
            raise BrokenRunnerError(f"{self._what}'s runner ended: {self._last_words(runner)}") from None
        except BaseException:
            process.end(runner)  # which ends its browser
            self._process = None
            raise

    def close(self) -> None:
        """End the runner and its browser; harmless when done already."""
        if self._process is not None:
            process.end(self._process)
            self._process = None

    def _start(self, place: Place) -> subprocess.Popen[bytes]:
        self._complaints.seek(0)
        self._complaints.truncate()
        pipe = subprocess.PIPE
        started: subprocess.Popen[Any] = place.popen(
            "client", self._argv, stdin=pipe, stdout=pipe, stderr=self._complaints, bufsize=0
        )
        return started

    def _last_words(self, runner: subprocess.Popen[bytes]) -> str:
        code = runner.wait()
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").splitlines()
        return next((line.strip() for line in lines if "Error" in line), f"exit code {code}")

    def _exchange(self, runner: subprocess.Popen[bytes], request: str, limit_s: float, go: Callable[[], None]) -> str:
        """Send a line and give the line that comes back; between them it may say that it is ready."""
        answer = self._say(runner, request, limit_s)
        if answer == _READY:
            go()
            answer = self._say(runner, _GO, limit_s)
        return answer

    def _say(self, runner: subprocess.Popen[bytes], line: str, limit_s: float) -> str:
        assert runner.stdin is not None and runner.stdout is not None
        runner.stdin.write(line.encode() + b"\n")
        deadline_s = time.monotonic() + limit_s
        answer = b""
        with selectors.DefaultSelector() as selector:
            selector.register(runner.stdout, selectors.EVENT_READ)
            while not answer.endswith(b"\n"):
                if not selector.select(max(0.0, deadline_s - time.monotonic())):
                    raise BrokenRunnerError(f"{self._what} hung for {limit_s:g} s")
                part = runner.stdout.read(1 << 16)
                if not part:
                    raise BrokenPipeError
                answer += part
        return answer.decode().removesuffix("\n")


class Runner(Program):
    """The program that drives browsers; starting it takes longer than starting a browser, so that it is kept.

    Each load has a browser and a profile of its own all the same.
    """

    def __init__(self, tools: Tools) -> None:
        super().__init__([tools.node, str(tools.runner)], "the browser")
        self.tools = tools


def end_browser(profile: Path) -> None:
    """End the browser that was started with this profile; the one of a runner that was ended may live on."""
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
