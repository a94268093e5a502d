"""Atomic writing of files and folders."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.interruption import held
from mmwemu.core.temporary import IN_PROGRESS, draft_file, draft_folder, lock, make_locked, temporary_folder

# The path is at fault, whatever room there is.
_UNUSABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ENOTDIR, errno.ELOOP, errno.EISDIR,
             errno.ENOENT, errno.EILSEQ, errno.EINVAL}  # fmt: skip


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a draft of a file, which replaces ``path`` on success.

    The draft is beside it; that of a device such as /dev/stdout is a temporary file, which is then copied there.

    Raises
    ------
    InputError
        If the folder does not exist or may not be written.
    MmwemuError
        If writing fails, as on a full disk; no partial file remains.
    """
    with ExitStack() as stack:
        try:
            if path.is_dir():
                raise InputError(str(path), "cannot be written: it is a folder")
            is_file = path.is_file()
            is_device = not is_file and path.exists()
            target = path.resolve() if is_file else path
            if not target.parent.is_dir():
                raise InputError(str(path), "cannot be written: its folder does not exist")
            if is_device:
                draft = stack.enter_context(temporary_folder("device")) / path.name
            else:
                draft = stack.enter_context(draft_file(target))
        except OSError as error:
            raise _unmade(path, error) from None
        try:
            yield draft
            if is_device:
                with draft.open("rb") as source, path.open("wb") as sink:
                    shutil.copyfileobj(source, sink)
                return
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
            draft.replace(target)
        except PermissionError as error:
            raise InputError(str(path), f"cannot be written: {error.strerror}") from None
        except OSError as error:
            raise MmwemuError(f"{path}: writing failed: {error.strerror or error}") from None


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a draft of a folder, which is renamed to ``path`` on success; on failure nothing remains.

    Raises
    ------
    InputError
        If ``path`` exists already or its folder may not be written.
    MmwemuError
        If writing fails, as on a full disk.
    """
    _refuse_existing(path)
    with ExitStack() as stack:
        try:
            stack.enter_context(_parents(path))
            draft = stack.enter_context(draft_folder(path))
        except OSError as error:
            raise _unmade(path, error) from None
        try:
            yield draft
            draft.rename(path)
        except OSError as error:
            raise MmwemuError(f"{path}: writing failed: {error.strerror or error}") from None


@contextmanager
def kept_folder(path: Path, *, again: bool = False) -> Iterator[Path]:
    """Yield a folder beside ``path``, which is renamed to ``path`` on success: a new one, or one that was kept.

    On failure, the in-progress folder is removed if it is empty and kept otherwise, so that no measurement is lost.

    Parameters
    ----------
    path
        Name of the folder when it is whole.
    again
        Take the in-progress folder that an earlier process left.

    Raises
    ------
    InputError
        If ``path`` exists already, another process fills it, or its folder may not be written; with ``again``, if there
        is no in-progress folder.
    """
    _refuse_existing(path)
    draft = path.with_name(path.name + IN_PROGRESS)
    with ExitStack() as stack:
        try:
            stack.enter_context(_parents(path))
            with held():
                fd = lock(draft) if again else make_locked(draft, Path.mkdir)
                if fd is None:
                    raise InputError(str(draft), "is being written by another process")
                stack.callback(os.close, fd)
                stack.push(partial(_remove_if_empty, draft))
        except FileExistsError:
            raise InputError(str(draft), "exists already: another run is writing it, or one was cut off") from None
        except OSError as error:
            raise _unmade(path, error) from None
        yield draft
        draft.rename(path)


def _remove_if_empty(draft: Path, kind: type[BaseException] | None, *_: object) -> None:
    """Remove a folder without content if an exception is on its way."""
    with held():
        if kind is not None and not has_content(draft):
            shutil.rmtree(draft, ignore_errors=True)


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise InputError(str(path), "exists already; results are never overwritten: choose another folder")


def _unmade(path: Path, error: OSError) -> MmwemuError:
    """Return the error of a file or folder that could not be made."""
    problem = f"cannot be written: {error.strerror or error}"
    return InputError(str(path), problem) if error.errno in _UNUSABLE else MmwemuError(f"{path}: {problem}")


@contextmanager
def _parents(path: Path) -> Iterator[None]:
    """Make the folders above a path, and remove those that are still empty on failure."""
    made = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with held():
            for folder in made:
                with suppress(OSError):
                    folder.rmdir()
        raise


@contextmanager
def locked_folder(path: Path) -> Iterator[None]:
    """Have a folder for this process alone, made unless it exists; when the block fails, remove it if it is empty.

    Raises
    ------
    InputError
        If another process has it, or it cannot be made.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(_parents(path / "content"))
            fd = lock(path.resolve())
        except OSError as error:
            raise InputError(str(path), f"cannot be made: {error.strerror}") from None
        if fd is None:
            raise InputError(str(path), "is being written by another process; choose another folder")
        stack.callback(os.close, fd)
        yield


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
