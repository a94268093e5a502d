"""Temporary folders and drafts that a killed process may have left.

Namespaces, devices and programs end with the process that made them, whatever ends it.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mmwemu.core import paths, temporary


def find(folders: Sequence[Path] = ()) -> list[Path]:
    """Return our temporary folders and drafts that no process uses.

    Parameters
    ----------
    folders
        Where drafts may be, beside the user's folders of mmwemu.
    """
    films = paths.cache_folder() / "films"
    places = {folder.resolve(): folder for folder in (*folders, paths.user_folder(), films)}.values()
    found = [path for path in _named(Path(tempfile.gettempdir()), temporary.FOLDER) if path.is_dir()]
    found += [path for place in places for path in _named(place, temporary.DRAFT)]
    return [path for path in found if is_unused(path)]


def is_unused(path: Path) -> bool:
    """Return whether a file or folder is ours, and no process that lives holds its lock."""
    try:
        ours = path.lstat().st_uid == os.geteuid()
        fd = temporary.lock(path) if ours else None
    except OSError:
        return False  # it has gone, or may not be opened
    if fd is not None:
        os.close(fd)
    return fd is not None


def remove(paths: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Remove files and folders unless they are in use; yield each with whether it is gone."""
    for path in paths:
        try:
            fd = temporary.lock(path)
        except OSError:
            yield path, not os.path.lexists(path)
            continue
        yield path, fd is not None and temporary.remove(path)
        if fd is not None:
            os.close(fd)


def _named(folder: Path, name: re.Pattern[str]) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if name.fullmatch(path.name))
    except OSError:
        return []
