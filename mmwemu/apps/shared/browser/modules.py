"""Node, a browser and the driver's JavaScript modules, which are installed in a folder of the user."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from mmwemu.core import paths, process
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.core.temporary import draft_folder

SETUP = "mmwemu web setup"
# Supported browsers, in order of preference.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable")
# A file that marks the modules beside it as complete.
_WHOLE = ".whole"
_LISTS = ("package.json", "package-lock.json")
_LIMIT_S = 300.0
_NODE_LEAST = 18
# The package has its player in 40 variants, 125 MB; only this one is used.
_PLAYER = "node_modules/dashjs"
_PLAYER_KEPT = ("package.json", "LICENSE.md", "dist/modern/umd/dash.all.min.js")


@dataclass(frozen=True)
class Tools:
    """Paths of Node and the browser, and folder of the modules."""

    node: str
    browser: str
    modules: Path


def find_tools() -> Tools:
    """Return the paths of Node, a browser and the modules.

    Raises
    ------
    MissingError
        For the first missing one, with the command that installs it.
    """
    node = find_node()
    browser = find_browser()
    folder = modules_folder()
    if not is_installed():
        raise MissingError("the browser driver's JavaScript modules are not installed", f"install them: {SETUP}")
    return Tools(node, browser, folder)


def find_node() -> str:
    """Return the path of a sufficiently new Node.

    Raises
    ------
    MissingError
        If there is none.
    """
    node = process.find_tool("node", "install it: sudo apt-get install nodejs npm")
    version = process.run([node, "--version"], timeout_s=10).stdout.decode(errors="replace").strip()
    match = re.match(r"v([0-9]+)\.", version)
    if match is None or int(match[1]) < _NODE_LEAST:
        raise MissingError(
            f"Node is {version or 'of unknown version'}; {_NODE_LEAST} or newer is needed",
            "install a newer one: https://nodejs.org/en/download",
        )
    return node


def find_browser() -> str:
    """Return the path of the first of `BROWSERS` that is installed.

    Raises
    ------
    MissingError
        If none is.
    """
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    raise MissingError(
        "no Chromium is installed", "install one: sudo apt-get install chromium-headless-shell (or: chromium)"
    )


def driver_folder() -> Path:
    """Return the folder of the driver's own files.

    Raises
    ------
    MissingError
        If this installation lacks it.
    """
    return paths.part("apps/shared/browser/driver", "the driver")


def modules_folder() -> Path:
    """Return the folder of the modules, which may not exist; its name depends on their list."""
    lists = b"".join((driver_folder() / name).read_bytes() for name in _LISTS)
    return paths.user_folder() / f"web-{hashlib.sha256(lists).hexdigest()[:12]}"


def is_installed() -> bool:
    """Return whether all modules are installed."""
    try:
        return (modules_folder() / _WHOLE).exists()
    except MissingError:
        return False


def install() -> Path:
    """Install the modules in package-lock.json with npm, unless present, but no browser; return their folder.

    Raises
    ------
    MissingError
        If npm is not installed.
    MmwemuError
        If npm fails, with its last message.
    """
    folder = modules_folder()
    if (folder / _WHOLE).exists():
        return folder
    npm = process.find_tool("npm", "install it: sudo apt-get install nodejs npm")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # One installation at a time. The lock ends with this process.
        with (folder.parent / f"{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / _WHOLE).exists():
                with draft_folder(folder) as draft:
                    for name in _LISTS:
                        shutil.copy(driver_folder() / name, draft / name)
                    _install(npm, draft)
                    draft.rename(folder)
    except OSError as error:
        raise InputError(str(folder), f"cannot be created: {error.strerror}") from None
    return folder


def _install(npm: str, folder: Path) -> None:
    argv = [npm, "ci", "--prefix", str(folder), "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
    environment = os.environ | {"PUPPETEER_SKIP_DOWNLOAD": "1", "npm_config_update_notifier": "false"}
    done = process.run(argv, timeout_s=_LIMIT_S, env=environment)
    if done.returncode != 0:
        words = [line for line in done.stderr.decode(errors="replace").splitlines() if "error" in line]
        raise MmwemuError(f"npm did not install the modules: {words[0] if words else f'exit code {done.returncode}'}")
    _strip(folder / _PLAYER)
    (folder / _WHOLE).touch()


def _strip(package: Path) -> None:
    """Remove the unused files of a package."""
    for path in package.rglob("*"):
        if path.is_file() and str(path.relative_to(package)) not in _PLAYER_KEPT:
            path.unlink()
