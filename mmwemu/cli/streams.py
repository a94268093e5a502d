"""Standard streams that may be closed, full or a broken pipe; they then behave as those of coreutils.

Standard input that is closed reads as empty. Standard output that cannot be written is an error that names it, and one
whose reader has gone ends the command quietly, as SIGPIPE does. Standard error that cannot be written changes nothing.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from typing import TYPE_CHECKING, TextIO

from mmwemu.core.errors import MmwemuError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class BrokenOutputError(MmwemuError):
    """Nobody reads standard output any more."""

    exit_code = 128 + signal.SIGPIPE


class _Output(io.FileIO):
    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise BrokenOutputError("standard output: broken pipe") from None
            raise MmwemuError(f"standard output: {error.strerror}") from None


class _Complaints(io.FileIO):
    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare() -> None:
    """Make standard streams of descriptors 0 to 2, opened if they are closed so that no other file takes their place.

    Streams that were put in the place of Python's own stay as they are.
    """
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            # To be read, so that nothing comes in and writing fails; for programs, too.
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY), True)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is sys.__stdout__:
        sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout, buffered=True)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Complaints(2, "w", closefd=False), sys.stderr, buffered=False)


def close_if_broken() -> None:
    """Let what could not be written to standard output go nowhere, so that Python does not try again at its end."""
    try:
        sys.stdout.flush()
    except MmwemuError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)


def _text(raw: io.FileIO, before: TextIO | None, *, buffered: bool) -> TextIO:
    """Return a text stream as Python would have made it; names of files that are no text are written as they are."""
    encoding = before.encoding if before is not None else "utf-8"
    errors = "surrogateescape" if encoding.lower() in ("utf-8", "utf8") else "backslashreplace"
    line_buffering = not buffered or raw.isatty()
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=encoding,
        errors=errors,
        line_buffering=line_buffering,
        write_through=not buffered,
    )
