"""A program on the client that gets a request, says when it is ready, and answers once."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from mmwemu.core.errors import MmwemuError
from mmwemu.emulate.link import Testbed

_READY = "ready\n"
_GO = "go\n"
# What starting a browser may take, and ending it with what it has to tell.
_START_LIMIT_S = 45.0
_GRACE_S = 45.0


class BrokenPlayerError(MmwemuError):
    """The program ended or hung without an answer; ``after_s`` is how long it was waited for."""

    def __init__(self, problem: str, after_s: float = 0.0) -> None:
        super().__init__(problem)
        self.after_s = after_s


def converse(testbed: Testbed, argv: Sequence[str], request: str, duration_s: float, go: Callable[[], None]) -> str:
    """Hand over a request, call ``go`` when the program is ready, and give its answer.

    Raises
    ------
    BrokenPlayerError
        If it ends without an answer, or needs much longer than ``duration_s``.
    """
    player = testbed.popen(
        "client", argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        output = _first_line(player, request)
        if output == _READY:
            go()
            output = ""
        rest, complaint = player.communicate(_GO, timeout=duration_s + _GRACE_S)
        output += rest
    except subprocess.TimeoutExpired as late:
        _end(player)
        raise BrokenPlayerError(f"the player hung for {late.timeout:g} s", late.timeout) from None
    except BaseException:
        _end(player)
        raise
    if player.returncode != 0 or not output:
        words = [line for line in complaint.splitlines() if "Error" in line] or [f"exit code {player.returncode}"]
        raise BrokenPlayerError(f"the player ended: {words[-1].strip()}")
    return str(output)


def _first_line(player: subprocess.Popen[str], request: str) -> str:
    """Hand over the request and give the first line that comes: that all is ready, or already the answer.

    Raises
    ------
    TimeoutExpired
        If none comes in time.
    """
    assert player.stdin is not None
    assert player.stdout is not None
    late = threading.Event()

    def give_up() -> None:
        late.set()
        player.terminate()

    watch = threading.Timer(_START_LIMIT_S, give_up)
    watch.start()
    try:
        with suppress(BrokenPipeError):
            player.stdin.write(request + "\n")
            player.stdin.flush()
        line = str(player.stdout.readline())
    finally:
        watch.cancel()
    if late.is_set():
        raise subprocess.TimeoutExpired("player", _START_LIMIT_S)
    return line


def _end(player: subprocess.Popen[str]) -> None:
    """Ask the program, which then ends its browser, and insist after a while."""
    player.terminate()
    try:
        player.wait(5)
    except subprocess.TimeoutExpired:
        player.kill()
        player.wait()
