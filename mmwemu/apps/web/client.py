"""Load a page in a headless browser on the client."""

from __future__ import annotations

import difflib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from mmwemu.apps.shared.browser.modules import Tools
from mmwemu.apps.shared.browser.program import BrokenRunnerError, Runner, end_browser
from mmwemu.apps.web import frames
from mmwemu.apps.web.result import Load, interpret
from mmwemu.apps.web.sites.model import Site
from mmwemu.core import process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.link.settings import Testbed

Protocol = Literal["http", "h1", "h2", "h3"]
DEVICE = "iPhone X"

# What starting a browser and evaluating a trace may take at most beside the load itself.
_GRACE_S = 75.0
# The last visual change may follow the end of the load.
_SETTLE_S = 1.0


@dataclass(frozen=True)
class Visit:
    """How a page is to be loaded.

    Attributes
    ----------
    site
        What is loaded.
    public_key_sha256
        Public key of the server's certificate, which no authority has signed.
    protocol
        ``h3``: HTTP/3 from the first packet on, experimental; ``h2``: HTTP/2 over TLS;
        ``h1``: HTTP/1.1 over TLS; ``http``: HTTP/1.1 without TLS.
    device
        A device of Puppeteer's list, or ``desktop``: 1366x768 pixels, no touch.
    limit_s
        A load ends here at the latest; that is a result.
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


def load(
    testbed: Testbed, runner: Runner, visit: Visit, keep: Path | None = None, go: Callable[[], None] = lambda: None
) -> Load:
    """Load a page with a cold cache and a fresh profile; a browser that breaks or hangs is a `Load` that failed.

    Parameters
    ----------
    testbed
        Where the browser runs, on the client.
    runner
        What drives it.
    visit
        What to load and how.
    keep
        Folder, made if need be, for the film strip, the HAR and the browser's trace; None keeps nothing.
    go
        Called when the browser stands; the load begins when it returns.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="mmwemu-web-", ignore_cleanup_errors=True) as name:
            return _load(testbed, runner, visit, Path(name), keep, go)
    except OSError as error:
        return Load(status="failed", error=f"{error.filename or 'the computer'}: {error.strerror}", duration_s=0.0)


def _load(
    testbed: Testbed, runner: Runner, visit: Visit, folder: Path, keep: Path | None, go: Callable[[], None]
) -> Load:
    film, kept = folder / "film", folder / "kept"
    film.mkdir()
    kept.mkdir()
    request = {
        "url": visit.url,
        "hosts": visit.site.hosts,
        "ports": visit.site.ports,
        "address": testbed.server_address,
        "public_key_sha256": visit.public_key_sha256,
        "protocol": visit.protocol,
        "device": visit.device,
        "limit_s": visit.limit_s,
        "settle_s": _SETTLE_S,
        "browser": runner.tools.browser,
        "modules": str(runner.tools.modules),
        "profile": str(folder / "profile"),
        "frames": str(film),
        "keep": str(kept) if keep else "",
    }
    try:
        outcome = interpret(runner.ask(testbed, request, visit.limit_s + _GRACE_S, go))
    except BrokenRunnerError as error:
        end_browser(folder / "profile")
        return Load(status="failed", error=str(error), duration_s=0.0)
    except InputError as error:
        raise MmwemuError(f"the browser's runner gave no usable result: {error}") from None
    if keep is not None:
        _keep([film, kept], keep)
    return replace(outcome, speed_index_check_s=_check(outcome, film))


def check_device(tools: Tools, device: str) -> None:
    """Refuse a device that is not known.

    Raises
    ------
    InputError
        Naming those that look like it.
    """
    if device == DEVICE:
        return
    runner = process.start([tools.node, str(tools.runner)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    output, _ = runner.communicate(json.dumps({"list_devices": True, "modules": str(tools.modules)}).encode())
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
