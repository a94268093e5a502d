"""Where the parts of the installed package are."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import mmwemu
from mmwemu.core.errors import MissingError

# Browsers that can load pages, the best first.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable")
# A file that says that the modules beside it are all there.
WEB_MODULES_WHOLE = ".whole"


def installed(relative: str) -> Path | None:
    """Give a file or folder of the package by its path below ``mmwemu/``, None where there is none."""
    for base in mmwemu.__path__:
        path = Path(base) / relative
        if path.exists():
            return path
    return None


def user_folder() -> Path:
    """Give the user's folder for what mmwemu installs at run time, whether it exists or not."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "mmwemu"


def cache_folder() -> Path:
    """Give the user's folder for what can be made again, whether it exists or not."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mmwemu"


def web_modules() -> Path | None:
    """Give the folder of the modules that drive the browser, whether it exists or not; it goes by the list of them.

    None where this installation has no runner.
    """
    runner = installed("apps/web/runner")
    if runner is None:
        return None
    lists = b"".join((runner / name).read_bytes() for name in ("package.json", "package-lock.json"))
    return user_folder() / f"web-{hashlib.sha256(lists).hexdigest()[:12]}"


def program(name: str) -> Path:
    """Give the path of one of our own native programs.

    Raises
    ------
    MissingError
        If this build of the package has it not.
    """
    path = installed(f"bin/{name}")
    if path is None:
        raise MissingError(
            f"{name} was not built with this installation",
            "install again on x86-64 Linux with a C++20 compiler: pip install --force-reinstall mmwemu",
        )
    return path
