"""Lookup of patterns by path or by the name of a shipped one."""

from __future__ import annotations

from pathlib import Path

from mmwemu.core import paths
from mmwemu.core.errors import InputError
from mmwemu.core.names import check_file_name, check_path
from mmwemu.pattern.formats import native
from mmwemu.pattern.model import Pattern


def shipped() -> dict[str, Path]:
    """Return the files of the patterns that come with mmwemu, by name."""
    folder = paths.installed("data/patterns")
    return {p.stem: p for p in sorted(folder.glob("*.csv"))} if folder else {}


def find(name_or_path: str) -> Path:
    """Return the file of a pattern by its path or the name of a shipped one such as ``s1-long-nlos.mmwave``.

    Raises
    ------
    InputError
        If neither exists, or the file's name cannot be that of a pattern.
    """
    path = check_path(name_or_path)
    if path.is_file():
        check_file_name(path)
        return path
    known = shipped()
    if name_or_path in known:
        return known[name_or_path]
    raise InputError(name_or_path, f"is neither a file nor a shipped pattern; shipped: {', '.join(known)}")


def load(name_or_path: str) -> Pattern:
    """Read a pattern by its path or the name of a shipped one."""
    return native.load(find(name_or_path))
