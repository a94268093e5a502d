"""Client that plays a film."""

from __future__ import annotations

import shutil
import sys
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
from mmwemu.core.temporary import temporary_folder
from mmwemu.testbed.place import Place

Player = Literal["browser", "headless"]
Abr = Literal["dynamic", "bola", "throughput"]
HOST = "film"

# Extra time for browser start and final result, beside the playback.
_GRACE_S = 45.0


@dataclass(frozen=True)
class Showing:
    """Settings of a playback.

    Attributes
    ----------
    player
        ``browser``: dash.js in a headless browser; ``headless``: its rules without decoding.
    abr
        Rules of dash.js that choose the quality: ``throughput``, ``bola``, or ``dynamic``, which switches between the
        two by buffer level.
    duration_s
        Length of playback, from the time at which the player gets the film.
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
    """Play a film with a cold cache and a fresh profile; a player that breaks or hangs returns a failed `Play`.

    Parameters
    ----------
    client
        Place of the player.
    server_address
        Address of the web server.
    tools
        From `mmwemu.apps.shared.browser.modules.find_tools`; None for the headless player.
    showing
        Settings of the playback.
    folder
        The film's folder on the server.
    keep
        Folder, created if needed, for the player's own record and the browser's last picture; None keeps nothing.
    go
        Called when the player is ready; the player gets the film when it returns.
    """
    try:
        with temporary_folder("stream") as work:
            return _play(client, server_address, tools, showing, folder, work, keep, go)
    except OSError as error:
        return failed(f"{error.filename or 'the machine'}: {error.strerror}")


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
        raise MmwemuError(f"the player returned no usable result: {error}") from None
    finally:
        driver.close()
    if keep is not None:
        _keep(kept, keep)
    return outcome


def _driver_program() -> Path:
    return paths.part("apps/stream/driver/driver.mjs", "the driver of the player")


def _keep(source: Path, folder: Path) -> None:
    try:
        shutil.copytree(source, folder, dirs_exist_ok=True)
    except OSError as error:
        raise MmwemuError(f"{folder}: keeping the player's record failed: {error.strerror or error}") from None
