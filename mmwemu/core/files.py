"""Atomic writing of files and folders."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mmwemu.core.errors import InputError, MmwemuError

IN_PROGRESS = ".in-progress"


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a draft path beside ``path``, which replaces ``path`` on success.

    Raises
    ------
    InputError
        If the folder does not exist or may not be written.
    MmwemuError
        If writing fails, as on a full disk; no partial file remains.
    """
    if not path.parent.is_dir():
        raise InputError(str(path), "cannot be written: its folder does not exist")
    if path.is_dir():
        raise InputError(str(path), "cannot be written: it is a folder")
    draft = path.with_name(f".{path.stem}-{secrets.token_hex(4)}{IN_PROGRESS}{path.suffix}")
    try:
        yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        # A device such as /dev/stdout must be written to, not replaced.
        if path.exists() and not path.is_file():
            with draft.open("rb") as source, path.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        else:
            draft.replace(path)
    except PermissionError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}") from None
    except OSError as error:
        raise MmwemuError(f"{path}: writing failed: {error.strerror or error}") from None
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder beside ``path``, which is renamed to ``path`` on success.

    On failure, the in-progress folder is removed if it is empty and kept otherwise, so that no measurement is lost.

    Raises
    ------
    InputError
        If ``path`` exists already or its folder may not be written.
    """
    if path.exists() or path.is_symlink():
        raise InputError(str(path), "exists already; results are never overwritten: choose another folder")
    draft = path.with_name(path.name + IN_PROGRESS)
    made = [folder for folder in path.parents if not folder.exists()]
    try:
        draft.mkdir(parents=True)
    except FileExistsError:
        raise InputError(str(draft), "exists already: another run is writing it, or one was cut off") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be created: {error.strerror}") from None
    try:
        yield draft
    except BaseException:
        if not has_content(draft):
            shutil.rmtree(draft, ignore_errors=True)
            with suppress(OSError):
                for folder in made:
                    folder.rmdir()
        raise
    draft.rename(path)


def has_content(folder: Path) -> bool:
    """Return whether a folder or one of its subfolders has a file that is not empty."""
    return any(path.is_file() and path.stat().st_size for path in folder.rglob("*"))


def within(folder: Path, relative: str) -> Path:
    """Return the path of a file or folder below another folder.

    Raises
    ------
    InputError
        If a link, or the path itself, leads out of the folder.
    """
    path = folder / relative
    try:
        target = path.resolve()
    except (OSError, RuntimeError):  # up to Python 3.12 a circle of links is a RuntimeError
        raise InputError(str(path), "is a link that leads in a circle; remove it") from None
    except ValueError:
        raise InputError(str(path), "cannot be the path of a file") from None
    if not target.is_relative_to(folder.resolve()):
        raise InputError(str(path), f"leads out of its folder, to {target}; copy the file instead of a link")
    return path


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's content as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
