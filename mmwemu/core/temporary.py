"""Temporary folders and drafts: made here alone, under names by which `mmwemu.core.leftovers` finds them.

Each is locked while its process lives, so that what a killed process left can be told from what is in use.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mmwemu.core.interruption import held

IN_PROGRESS = ".in-progress"
FOLDER = re.compile(r"mmwemu-[a-z]+-[0-9a-f]{8}")
"""Name of a temporary folder."""
DRAFT = re.compile(rf"\..*-[0-9a-f]{{8}}{re.escape(IN_PROGRESS)}(\..*)?", re.DOTALL)
"""Name of a draft, which is beside what it becomes."""
_LONGEST_NAME_BYTES = 255
_REMOVAL_LIMIT_S = 2.0

_existing: set[Path] = set()


@contextmanager
def temporary_folder(what: str) -> Iterator[Path]:
    """Yield a new folder for temporary files, which is removed in the end; ``what`` it is for is part of its name."""
    parent = Path(tempfile.gettempdir())
    with _made(lambda: parent / f"mmwemu-{what}-{secrets.token_hex(4)}", lambda path: path.mkdir(0o700)) as path:
        yield path


@contextmanager
def draft_folder(path: Path) -> Iterator[Path]:
    """Yield a new, hidden folder beside ``path``, which is removed in the end unless it was renamed."""
    with _made(lambda: _draft(path), Path.mkdir) as draft:
        yield draft


@contextmanager
def draft_file(path: Path) -> Iterator[Path]:
    """Yield a new, hidden file beside ``path``, which is removed in the end unless it was renamed."""
    with _made(lambda: _draft(path), lambda draft: draft.touch(exist_ok=False)) as draft:
        yield draft


def make_locked(path: Path, make: Callable[[Path], object]) -> int:
    """Make a file or folder and return a descriptor, to be closed, that locks it.

    Raises
    ------
    OSError
        If it cannot be made, as where it exists.
    """
    while True:
        make(path)
        # Whoever removes what is left over may have come between.
        with suppress(FileNotFoundError):
            fd = lock(path)
            if fd is not None and os.path.lexists(path):
                return fd
            if fd is not None:
                os.close(fd)


def lock(path: Path) -> int | None:
    """Return a descriptor that locks a file or folder until it is closed or this process ends; None if another has it.

    Raises
    ------
    OSError
        If it cannot be opened, or is a symbolic link.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except OSError:
        pass  # a file system without locks
    return fd


def remove(path: Path) -> bool:
    """Remove a file or folder, to which programs that are about to end may still write; return whether it is gone."""
    end_s = time.monotonic() + _REMOVAL_LIMIT_S
    while os.path.lexists(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
        if os.path.lexists(path):
            if time.monotonic() > end_s:
                return False
            time.sleep(0.02)
    return True


@contextmanager
def _made(name: Callable[[], Path], make: Callable[[Path], object]) -> Iterator[Path]:
    path = name()
    fd = None
    _existing.add(path)
    try:
        fd = make_locked(path, make)
        yield path
    finally:
        with held():
            if remove(path):
                _existing.discard(path)
            if fd is not None:
                os.close(fd)


def _draft(path: Path) -> Path:
    """Return a new name beside a path; its suffix is the path's, which tells writers the format."""
    end = f"-{secrets.token_hex(4)}{IN_PROGRESS}{path.suffix}"
    stem = os.fsencode(path.stem)[: max(0, _LONGEST_NAME_BYTES - 1 - len(os.fsencode(end)))]
    return path.with_name(f".{os.fsdecode(stem)}{end}")


@atexit.register
def _remove_existing() -> None:
    """Remove what is of threads that have not come to their end, and what could not be removed before."""
    for path in list(_existing):
        remove(path)
