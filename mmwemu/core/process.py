"""The one way to run other programs: argument lists, logged as typed."""

from __future__ import annotations

import logging
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, Any

from mmwemu.core.errors import InputError, MissingError

log = logging.getLogger("mmwemu.process")


def split(command: str, where: str) -> list[str]:
    """Split a command that was typed as one text into words, as a shell does.

    Raises
    ------
    InputError
        If a quote is not closed, or there are no words; ``where`` names the option.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(where, f"is {command!r}: {str(error).lower()}") from None
    if not words:
        raise InputError(where, f"is {command!r}; must name a program")
    return words


def find_tool(name: str, remedy: str) -> str:
    """Give the path of a program, in PATH or the system's sbin folders.

    Raises
    ------
    MissingError
        If it is not installed; ``remedy`` says how to get it.
    """
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")
    if path is None:
        raise MissingError(f"{name} is not installed", remedy)
    return path


def start(argv: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program; ``options`` are those of `subprocess.Popen`."""
    log.debug("%s", shlex.join(argv))
    return subprocess.Popen(list(argv), **options)


def run(
    argv: Sequence[str],
    *,
    timeout_s: float | None = None,
    stdin: IO[bytes] | int | None = subprocess.DEVNULL,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end and give its exit code and both outputs; it is killed after ``timeout_s``."""
    log.debug("%s", shlex.join(argv))
    return subprocess.run(list(argv), stdin=stdin, capture_output=True, timeout=timeout_s, env=env, check=False)


def end(program: subprocess.Popen[Any], grace_s: float = 5.0) -> None:
    """Ask a program to end, and make it after a while; harmless when it has ended."""
    program.terminate()
    try:
        program.wait(grace_s)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
