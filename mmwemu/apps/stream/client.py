"""Play a film on the client."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mmwemu.apps.shared.browser.driver import BrokenDriverError, Driver, end_browser
from mmwemu.apps.shared.browser.modules import Tools
from mmwemu.apps.stream.film import MANIFEST
from mmwemu.apps.stream.result import Play, failed, interpret
from mmwemu.core import paths
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.testbed.place import Place

Player = Literal["browser", "headless"]
Abr = Literal["dynamic", "bola", "throughput"]
HOST = "film"

# What starting a browser may take, and what it has to tell in the end.
_GRACE_S = 45.0


@dataclass(frozen=True)
class Showing:
    """How a film is to be played.

    Attributes
    ----------
    player
        ``browser``: dash.js in a headless browser; ``headless``: its rules without decoding.
    abr
        Which of dash.js's rules choose the quality: ``throughput``, ``bola``, or ``dynamic``, which goes from the one
        to the other by what is buffered.
    duration_s
        How long it is watched, from when the player is given the film.
    """

    player: Player = "browser"
    abr: Abr = "dynamic"
    duration_s: float = 40.0


def play(
    client: Place,
    server_address: str,
    tools: Tools | None,
    showing: Showing,
    folder: str,
    keep: Path | None = None,
    go: Callable[[], None] = lambda: None,
) -> Play:
    """Play a film with a cold cache and a fresh profile; a player that breaks or hangs is a `Play` that failed.

    Parameters
    ----------
    client
        Where the player runs.
    server_address
        Where the film is.
    tools
        From `mmwemu.apps.shared.browser.modules.find_tools`; None for a player that is no browser.
    showing
        How to play it.
    folder
        The film's folder on the server.
    keep
        Folder, made if need be, for the player's own record and the browser's last picture; None keeps nothing.
    go
        Called when the player stands; it is given the film when that returns.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="mmwemu-stream-", ignore_cleanup_errors=True) as name:
            return _play(client, server_address, tools, showing, folder, Path(name), keep, go)
    except OSError as error:
        return failed(f"{error.filename or 'the computer'}: {error.strerror}")


def _play(
    client: Place,
    server_address: str,
    tools: Tools | None,
    showing: Showing,
    folder: str,
    work: Path,
    keep: Path | None,
    go: Callable[[], None],
) -> Play:
    profile = work / "profile"
    kept = work / "kept"
    kept.mkdir()
    host = HOST if tools else server_address
    request: dict[str, object] = {
        "url": f"http://{host}/{folder}/{MANIFEST}",
        "abr": showing.abr,
        "duration_s": showing.duration_s,
        "keep": str(kept) if keep else "",
    }
    if tools is None:
        argv = [sys.executable, "-P", "-m", "mmwemu.apps.stream.headless"]
    else:
        argv = [tools.node, str(_driver_program())]
        request |= {
            "hosts": [HOST],
            "address": server_address,
            "protocol": "http",
            "browser": tools.browser,
            "modules": str(tools.modules),
            "profile": str(profile),
        }
    driver = Driver(client.popen, argv, "the player")
    try:
        outcome = interpret(driver.ask(request, showing.duration_s + _GRACE_S, go))
    except BrokenDriverError as error:
        end_browser(profile)
        return failed(str(error))
    except InputError as error:
        raise MmwemuError(f"the player gave no usable result: {error}") from None
    finally:
        driver.close()
    if keep is not None:
        _keep(kept, keep)
    return outcome


def _driver_program() -> Path:
    return paths.part("apps/stream/driver/driver.mjs", "the browser's player")


def _keep(source: Path, folder: Path) -> None:
    try:
        shutil.copytree(source, folder, dirs_exist_ok=True)
    except OSError as error:
        raise MmwemuError(f"{folder}: keeping the player's record failed: {error.strerror or error}") from None
