"""Client that loads pages in a headless browser."""

from __future__ import annotations

import difflib
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from mmwemu.apps.shared.browser.driver import BrokenDriverError, Driver, end_browser
from mmwemu.apps.shared.browser.modules import Tools
from mmwemu.apps.web import frames
from mmwemu.apps.web.film import write_times
from mmwemu.apps.web.result import Load, interpret
from mmwemu.apps.web.sites.model import Site
from mmwemu.core import paths, process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.temporary import temporary_folder

Protocol = Literal["http", "h1", "h2", "h3"]
DEVICE = "iPhone X"

# Extra time for browser start and trace evaluation, beside the load.
_GRACE_S = 75.0
# The last visual change may follow the end of the load.
_SETTLE_S = 1.0


@dataclass(frozen=True)
class Browser:
    """A driver on a client, kept between loads because it starts more slowly than a browser.

    Each load still has a browser and a profile of its own.
    """

    tools: Tools
    driver: Driver
    server_address: str = ""


def open_browser(tools: Tools, start: Callable[..., subprocess.Popen[Any]], server_address: str = "") -> Browser:
    """Return a driver; ``start`` starts programs on the client, all hosts resolve to ``server_address``."""
    return Browser(tools, Driver(start, [tools.node, str(driver_program())], "the browser"), server_address)


def driver_program() -> Path:
    """Return the path of the driver.

    Raises
    ------
    MissingError
        If this installation lacks it.
    """
    return paths.part("apps/web/driver/driver.mjs", "the browser's driver")


@dataclass(frozen=True)
class Visit:
    """Settings of a page load.

    Attributes
    ----------
    site
        The site to load.
    public_key_sha256
        Public key of the server's self-signed certificate.
    protocol
        ``h3``: HTTP/3 from the first packet on, experimental; ``h2``: HTTP/2 over TLS;
        ``h1``: HTTP/1.1 over TLS; ``http``: HTTP/1.1 without TLS.
    device
        A device of Puppeteer's list, or ``desktop``: 1366x768 pixels, no touch.
    limit_s
        Limit of the load; a load that reaches it is a valid result.
    """

    site: Site
    public_key_sha256: str
    protocol: Protocol = "h2"
    device: str = DEVICE
    limit_s: float = 40.0

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"{'http' if self.protocol == 'http' else 'https'}://{self.site.hosts[0]}{self.site.page_url}"


def load(browser: Browser, visit: Visit, keep: Path | None = None, go: Callable[[], None] = lambda: None) -> Load:
    """Load a page with a cold cache and a fresh profile; a browser that breaks or hangs returns a failed `Load`.

    Parameters
    ----------
    browser
        Browser on the client.
    visit
        Settings of the load.
    keep
        Folder, created if needed, for the film strip, the HAR and the browser's trace; None keeps nothing.
    go
        Called when the browser is ready; the load begins when it returns.
    """
    try:
        with temporary_folder("web") as folder:
            return _load(browser, visit, folder, keep, go)
    except OSError as error:
        return Load(status="failed", error=f"{error.filename or 'the machine'}: {error.strerror}", duration_s=0.0)


def _load(browser: Browser, visit: Visit, folder: Path, keep: Path | None, go: Callable[[], None]) -> Load:
    film, kept = folder / "film", folder / "kept"
    film.mkdir()
    kept.mkdir()
    request = {
        "url": visit.url,
        "hosts": visit.site.hosts,
        "ports": visit.site.ports,
        "address": browser.server_address,
        "public_key_sha256": visit.public_key_sha256,
        "protocol": visit.protocol,
        "device": visit.device,
        "limit_s": visit.limit_s,
        "settle_s": _SETTLE_S,
        "browser": browser.tools.browser,
        "modules": str(browser.tools.modules),
        "profile": str(folder / "profile"),
        "frames": str(film),
        "keep": str(kept) if keep else "",
    }
    try:
        outcome = interpret(browser.driver.ask(request, visit.limit_s + _GRACE_S, go))
    except BrokenDriverError as error:
        end_browser(folder / "profile")
        return Load(status="failed", error=str(error), duration_s=0.0)
    except InputError as error:
        raise MmwemuError(f"the driver returned no usable result: {error}") from None
    if keep is not None:
        write_times(outcome.frames, folder)
        _keep([film, kept], keep)
    return replace(outcome, speed_index_check_s=_check(outcome, film))


def check_device(tools: Tools, device: str) -> None:
    """Refuse an unknown device.

    Raises
    ------
    InputError
        With the names of similar devices.
    """
    if device == DEVICE:
        return
    driver = process.start([tools.node, str(driver_program())], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    output, _ = driver.communicate(json.dumps({"list_devices": True, "modules": str(tools.modules)}).encode())
    known = [str(name) for name in json.loads(output or b"{}").get("devices", [])]
    if device not in known:
        close = difflib.get_close_matches(device, known, 3) or ["iPhone X", "iPad", "desktop"]
        raise InputError("device", f"is {device!r}, which is not known; did you mean {', '.join(close)}?")


def _check(outcome: Load, film: Path) -> float | None:
    return frames.from_frames(outcome.frames, film) if outcome.speed_index_s is not None else None


def _keep(sources: Sequence[Path], folder: Path) -> None:
    try:
        for source in sources:
            shutil.copytree(source, folder / source.name if source.name == "film" else folder, dirs_exist_ok=True)
    except OSError as error:
        raise MmwemuError(f"{folder}: keeping the film and the trace failed: {error.strerror or error}") from None
