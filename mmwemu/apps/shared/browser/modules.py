"""Node, a browser and the JavaScript modules that drive it, which are in a folder of the user's."""

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

SETUP = "mmwemu web setup"
# Browsers that can load pages, the best first.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable")
# A file that says that the modules beside it are all there.
_WHOLE = ".whole"
_LISTS = ("package.json", "package-lock.json")
_LIMIT_S = 300.0
_NODE_LEAST = 18
# The package has its player in 40 variants, 125 MB; this is the one that is used.
_PLAYER = "node_modules/dashjs"
_PLAYER_KEPT = ("package.json", "LICENSE.md", "dist/modern/umd/dash.all.min.js")


@dataclass(frozen=True)
class Tools:
    """The programs that drive a browser, and the folder of the modules."""

    node: str
    browser: str
    modules: Path


def find_tools() -> Tools:
    """Find Node, a browser and the modules.

    Raises
    ------
    MissingError
        For the first that is missing, with the command that gets it.
    """
    node = find_node()
    browser = find_browser()
    folder = modules_folder()
    if not is_installed():
        raise MissingError("the browser driver's JavaScript modules are not installed", f"install them: {SETUP}")
    return Tools(node, browser, folder)


def find_node() -> str:
    """Give the path of a Node that is new enough.

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
            f"Node is {version or 'of no known version'}; {_NODE_LEAST} or newer is needed",
            "install a newer one: https://nodejs.org/en/download",
        )
    return node


def find_browser() -> str:
    """Give the path of the first of `BROWSERS` that is installed.

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
        If this installation has none.
    """
    return paths.part("apps/shared/browser/driver", "the browser's driver")


def modules_folder() -> Path:
    """Return the folder of the modules, whether they are there or not; its name changes with the list of them."""
    lists = b"".join((driver_folder() / name).read_bytes() for name in _LISTS)
    return paths.user_folder() / f"web-{hashlib.sha256(lists).hexdigest()[:12]}"


def is_installed() -> bool:
    """Return whether the modules are there, all of them."""
    try:
        return (modules_folder() / _WHOLE).exists()
    except MissingError:
        return False


def install() -> Path:
    """Install the modules of package-lock.json by npm, unless they are there; never a browser.

    Raises
    ------
    MissingError
        If npm is not installed.
    MmwemuError
        If npm fails; with its last words.
    """
    folder = modules_folder()
    if (folder / _WHOLE).exists():
        return folder
    npm = process.find_tool("npm", "install it: sudo apt-get install nodejs npm")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # One at a time: npm empties the folder first. The lock ends with this process, however that ends.
        with (folder.parent / f"{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / _WHOLE).exists():
                for name in _LISTS:
                    shutil.copy(driver_folder() / name, folder / name)
                _install(npm, folder)
    except OSError as error:
        raise InputError(str(folder), f"cannot be made: {error.strerror}") from None
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
    """Remove what is not used of a package."""
    for path in package.rglob("*"):
        if path.is_file() and str(path.relative_to(package)) not in _PLAYER_KEPT:
            path.unlink()
