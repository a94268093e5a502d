"""Subprocesses, started from argument lists and logged as typed."""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, Any

from mmwemu.core import paths
from mmwemu.core.errors import InputError, MissingError
from mmwemu.core.text import printable

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
    """Return the path of a program in PATH or the system's sbin folders.

    Raises
    ------
    MissingError
        If it is not installed; ``remedy`` says how to get it.
    """
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")
    if path is None:
        raise MissingError(f"{name} is not installed", remedy)
    return path


def start(argv: Sequence[str], *, tied: bool = False, **options: Any) -> subprocess.Popen[bytes]:
    """Start a program.

    Parameters
    ----------
    argv
        Program and arguments.
    tied
        Let the kernel kill it when the thread that started it ends, whatever ends this process.
    options
        Those of `subprocess.Popen`.
    """
    log.debug("%s", printable(shlex.join(argv)))
    return subprocess.Popen([*(_tie(argv[0]) if tied else ()), *argv], **options)


def run(
    argv: Sequence[str],
    *,
    timeout_s: float | None = None,
    stdin: IO[bytes] | int | None = subprocess.DEVNULL,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end, or that of this process, at most ``timeout_s``; return exit code and both outputs."""
    log.debug("%s", printable(shlex.join(argv)))
    return subprocess.run(
        [*_tie(argv[0]), *argv], stdin=stdin, capture_output=True, timeout=timeout_s, env=env, check=False
    )


def end(program: subprocess.Popen[Any], grace_s: float = 5.0) -> None:
    """Terminate a program, and kill it after ``grace_s`` or when a signal comes; harmless if it has ended."""
    try:
        program.terminate()
        program.wait(grace_s)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
    except BaseException:
        program.kill()
        raise


def _tie(program: str) -> list[str]:
    """Return the words that tie a program to this process; none where there is no such program, or no native ones."""
    native = paths.installed("bin/mmwemu-link")
    return [str(native), "tied", str(os.getpid())] if native is not None and shutil.which(program) else []
