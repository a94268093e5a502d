"""Paths of the installed package and of the user's folders."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mmwemu.core.errors import MissingError

_PACKAGE = __name__.partition(".")[0]


def installed(relative: str) -> Path | None:
    """Return a file or folder of the package by its path below ``mmwemu/``, or None if it is absent."""
    for base in sys.modules[_PACKAGE].__path__:
        path = Path(base) / relative
        if path.exists():
            return path
    # Sources that run in place have scenarios and patterns at their top.
    for base in sys.modules[_PACKAGE].__path__:
        top = Path(base).parent
        path = top / relative.removeprefix("data/")
        if relative.startswith("data/") and (top / "pyproject.toml").exists() and path.exists():
            return path
    return None


def part(relative: str, what: str) -> Path:
    """Return a file or folder of the package that every installation should have.

    Raises
    ------
    MissingError
        If this one lacks it; ``what`` names it.
    """
    path = installed(relative)
    if path is None:
        raise MissingError(f"{what} is not in this installation", "install mmwemu again")
    return path


def user_folder() -> Path:
    """Return the user's folder for software that mmwemu installs at run time, which may not exist."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "mmwemu"


def cache_folder() -> Path:
    """Return the user's cache folder, which may not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mmwemu"


def state_folder() -> Path:
    """Return the user's folder for what mmwemu remembers between runs, which may not exist."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "mmwemu"


def program(name: str) -> Path:
    """Return the path of one of mmwemu's native programs.

    Raises
    ------
    MissingError
        If this build of the package lacks it.
    """
    path = installed(f"bin/{name}")
    if path is None:
        raise MissingError(
            f"{name} was not built with this installation",
            "install again on x86-64 Linux with a C++20 compiler: pip install --force-reinstall mmwemu",
        )
    return path
