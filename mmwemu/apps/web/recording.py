"""Recorder of sites: a browser loads a page through mitmproxy, which keeps every response."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmwemu.apps.shared.browser.driver import BrokenDriverError, end_browser
from mmwemu.apps.shared.browser.modules import find_tools
from mmwemu.apps.web.client import DEVICE, Browser, check_device, open_browser
from mmwemu.apps.web.result import Load, interpret
from mmwemu.apps.web.sites import recorded, references
from mmwemu.apps.web.sites.recorded import Recording
from mmwemu.core import paths, process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.names import check_name
from mmwemu.core.temporary import temporary_folder
from mmwemu.core.text import cut

_START_LIMIT_S = 30.0
_GRACE_S = 60.0
# Responses after the end of the load belong to the page too, such as pictures that scripts insert.
_SETTLE_S = 3.0


@dataclass(frozen=True)
class Take:
    """Settings of a recording: page address, name of the site, device of Puppeteer's list, and limit, s."""

    url: str
    name: str = ""
    device: str = DEVICE
    limit_s: float = 40.0

    def __post_init__(self) -> None:
        parts = references.split(self.url)
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(cut(self.url), "is not the address of a page; it must begin with http:// or https://")
        if self.name:
            check_name(self.name, "name")


def find_mitmdump() -> str:
    """Return the path of mitmproxy's mitmdump.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    return process.find_tool("mitmdump", "install it: pipx install mitmproxy (or: pip install mitmproxy)")


def record(take: Take, folder: Path) -> tuple[Recording, Load]:
    """Load a page in a headless browser through mitmproxy and make a site of the responses.

    Returns
    -------
    The recording, and the result of the load; a load that reached the limit gives a partial recording.

    Raises
    ------
    InputError
        If the folder exists or the device is unknown.
    MissingError
        If mitmproxy, node, a browser or the driver's modules are missing.
    MmwemuError
        If the proxy does not start or the page does not load; no folder remains.
    """
    mitmdump, tools = find_mitmdump(), find_tools()
    check_device(tools, take.device)
    if folder.exists():
        raise InputError(str(folder), "exists already; choose another folder")
    with temporary_folder("record") as work:
        answers = work / "answers"
        answers.mkdir()
        with _proxy(mitmdump, work, answers) as port:
            outcome = _visit(open_browser(tools, _start_here), take, port, work)
        if outcome.status == "failed":
            raise MmwemuError(f"{take.url} was not recorded: {outcome.error}")
        try:
            return recorded.make_site(folder, take.name, take.url, answers), outcome
        except InputError:
            if outcome.status == "timeout":
                raise MmwemuError(f"{take.url} was not recorded: {outcome.error}") from None
            raise


def take_flows(flows: Path, folder: Path, page: str = "", name: str = "") -> Recording:
    """Make a site of a flow file that mitmproxy wrote, such as from a session with another browser.

    Raises
    ------
    InputError
        If the file is not a flow file, the folder exists, or the page is not in the file.
    MissingError
        If mitmproxy is missing.
    """
    mitmdump = find_mitmdump()
    if not flows.is_file():
        raise InputError(str(flows), "is not a file")
    with temporary_folder("record") as work:
        answers = work / "answers"
        answers.mkdir()
        argv = [*_mitmdump(mitmdump, work), "--no-server", "--rfile", str(flows.resolve())]
        done = process.run(argv, timeout_s=600, env=os.environ | {"MMWEMU_RECORDING": str(answers)})
        if not (answers / "answers").exists():
            words = _last_line(done.stdout + done.stderr)
            raise InputError(str(flows), f"has no flows that mitmproxy can read{': ' if words else ''}{words}")
        return recorded.make_site(folder, name, page, answers)


def _start_here(argv: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a program on this machine, not in a testbed."""
    return process.start(argv, process_group=0, **options)


def _visit(browser: Browser, take: Take, port: int, folder: Path) -> Load:
    film = folder / "film"
    film.mkdir()
    request = {
        "url": take.url,
        "proxy": f"127.0.0.1:{port}",
        "protocol": "h2",
        "device": take.device,
        "limit_s": take.limit_s,
        "settle_s": _SETTLE_S,
        "browser": browser.tools.browser,
        "modules": str(browser.tools.modules),
        "profile": str(folder / "profile"),
        "frames": str(film),
        "keep": "",
    }
    try:
        return interpret(browser.driver.ask(request, take.limit_s + _GRACE_S, lambda: None))
    except BrokenDriverError as error:
        end_browser(folder / "profile")
        raise MmwemuError(f"{take.url} was not recorded: {error}") from None
    finally:
        browser.driver.close()


def _mitmdump(program: str, folder: Path) -> list[str]:
    script = paths.installed("apps/web/sites/mitmproxy_script.py")
    # Settings and certificate authority of its own, apart from the user's.
    return [program, "--quiet", "--set", f"confdir={folder}/mitmproxy", "--scripts", str(script)]


@contextmanager
def _proxy(program: str, folder: Path, answers: Path) -> Iterator[int]:
    """Run the proxy on the loopback address and yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    argv = [*_mitmdump(program, folder), "--listen-host", "127.0.0.1", "--listen-port", str(port)]
    with (folder / "proxy.log").open("wb") as log:
        proxy = process.start(
            argv,
            tied=True,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            process_group=0,
            env=os.environ | {"MMWEMU_RECORDING": str(answers)},
        )
    try:
        deadline_s = time.monotonic() + _START_LIMIT_S
        while not (answers / "ready").exists():
            if proxy.poll() is not None or time.monotonic() > deadline_s:
                words = _last_line((folder / "proxy.log").read_bytes()) or "no output"
                raise MmwemuError(f"mitmproxy did not start: {words}")
            time.sleep(0.05)
        yield port
    finally:
        # On SIGTERM, mitmproxy first writes pending responses.
        process.end(proxy, 10.0)


def _last_line(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[-1].strip() if lines else ""
