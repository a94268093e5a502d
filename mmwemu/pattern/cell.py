"""A folder as a cell: the pattern files of its clients."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from mmwemu.core.errors import InputError
from mmwemu.core.files import sha256
from mmwemu.core.names import RULE, check_path, is_name
from mmwemu.core.text import shown
from mmwemu.pattern import library


def is_cell(name_or_path: str) -> bool:
    """Return whether a name is that of a folder, and of no shipped pattern."""
    return check_path(name_or_path).is_dir() and name_or_path not in library.shipped()


def files(name_or_path: str) -> list[Path]:
    """Return the files of a pattern, or of the clients of a cell: the patterns (\\*.csv) of a folder, by name.

    Numbers in names count as numbers, so that ``ue10.csv`` comes after ``ue9.csv``.

    Raises
    ------
    InputError
        If there is no such pattern, or the folder has none.
    """
    if not is_cell(name_or_path):
        return [library.find(name_or_path)]
    folder = Path(name_or_path)
    found = [file for file in folder.glob("*.csv") if file.is_file()]
    if not found:
        raise InputError(name_or_path, "is a folder without pattern files (*.csv)")
    return [library.find(str(file)) for file in sorted(found, key=_by_number)]


def name_of(name_or_path: str) -> str:
    """Return the name in records of a pattern, that of its file without the ending, or of a cell, that of its folder.

    Raises
    ------
    InputError
        As `files`, or if the name breaks the rule of names.
    """
    if not is_cell(name_or_path):
        return library.find(name_or_path).stem
    name = Path(name_or_path).resolve().name
    if not is_name(name):
        raise InputError(name_or_path, f"names its cell {shown(name)}, which {RULE}; rename the folder")
    return name


def digest(of: Iterable[Path]) -> str:
    """Return the SHA-256 of a file, or of the hashes of several."""
    hashes = [sha256(file) for file in of]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def _by_number(file: Path) -> list[tuple[int, str]]:
    parts = re.split(r"([0-9]+)", file.name)
    return [(int(part), "") if i % 2 else (0, part) for i, part in enumerate(parts)]
