"""One study at a time on a computer: two would measure each other."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from mmwemu.core import paths
from mmwemu.core.errors import MmwemuError

# Whoever only looks whether a study runs holds the lock for an instant.
_TRIES, _BETWEEN_S = 5, 0.02


@dataclass(frozen=True)
class Holder:
    """Who runs a study: the process and its results folder."""

    pid: int
    folder: str

    def __str__(self) -> str:
        return f"process {self.pid}, {self.folder}" if self.pid else "another process"


@contextmanager
def study_lock(folder: Path) -> Iterator[None]:
    """Have this computer for a study; the lock ends with this process, whatever ends it.

    Raises
    ------
    MmwemuError
        If another study runs; the message names it.
    """
    try:
        fd = _open(os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise MmwemuError(f"{_path()}: cannot be written: {error.strerror}") from None
    try:
        if not _take(fd):
            problem = f"a study runs on this computer already ({_read(fd)}); two would disturb each other"
            raise MmwemuError(problem)
        os.truncate(fd, 0)
        os.pwrite(fd, json.dumps(asdict(Holder(os.getpid(), str(folder.absolute())))).encode(), 0)
        yield
    finally:
        os.close(fd)


def running_study() -> Holder | None:
    """Return who runs a study on this computer, None if nobody does."""
    try:
        fd = _open(os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(fd)
    else:
        return None
    finally:
        os.close(fd)


def _take(fd: int) -> bool:
    """Lock a file for this process alone; return whether that was possible."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(_BETWEEN_S)
    return False


def _path() -> Path:
    # Several computers may share a home.
    return paths.state_folder() / f"study.{platform.node() or 'computer'}.lock"


def _open(flags: int) -> int:
    path = _path()
    if flags & os.O_CREAT:
        path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def _read(fd: int) -> Holder:
    with suppress(ValueError, TypeError, KeyError):
        found = json.loads(os.pread(fd, 10_000, 0))
        return Holder(int(found["pid"]), str(found["folder"]))
    return Holder(0, "")
