"""Names in a testbed with a way outside: a resolv.conf whose servers can be reached from there."""

from __future__ import annotations

import ipaddress
import subprocess
from pathlib import Path

from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.core.temporary import temporary_folder
from mmwemu.testbed.sandbox import Sandbox

_RESOLV_CONF = Path("/etc/resolv.conf")
# systemd-resolved answers on the loopback and names the real servers here.
_UPSTREAM = Path("/run/systemd/resolve/resolv.conf")


def provide(sandbox: Sandbox, loopback: str | None) -> bool:
    """Let programs in a sandbox find name servers; return whether there are any.

    Parameters
    ----------
    sandbox
        Its mount namespace gets a resolv.conf of its own.
    loopback
        Address under which the sandbox reaches the loopback of the machine, None where it does not.
    """
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in (_RESOLV_CONF, _UPSTREAM) if path.exists()]
    text = choose(texts, loopback)
    if not text:
        return text is None
    with temporary_folder("resolv") as folder:
        file = folder / "resolv.conf"
        file.write_text(text, encoding="utf-8")
        mount = process.find_tool("mount", "install it: sudo apt-get install mount")
        bound = sandbox.server.start_tool(
            [mount, "--bind", str(file), str(_RESOLV_CONF.resolve())], stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        _, complaint = bound.communicate(timeout=10)
        if bound.returncode != 0:
            raise MmwemuError(f"resolv.conf cannot be set: {complaint.decode(errors='replace').strip()}")
    return True  # the mount keeps the content of the file


def choose(texts: list[str], loopback: str | None) -> str | None:
    """Return the resolv.conf for a testbed: None if the first of ``texts`` will do, empty if there is no name server.

    Name servers on the loopback are those of another network there; IPv6 is off.
    """
    for i, text in enumerate(texts):
        lines = [line.split() for line in text.splitlines()]
        servers = [words[1] for words in lines if words[:1] == ["nameserver"] and len(words) > 1]
        usable = [server for server in servers if _reachable(server)]
        if usable:
            others = [" ".join(words) for words in lines if words[:1] in (["search"], ["options"])]
            same = i == 0 and usable == servers
            return None if same else "".join(f"{line}\n" for line in [*(f"nameserver {s}" for s in usable), *others])
    return "" if loopback is None else f"nameserver {loopback}\n"


def _reachable(server: str) -> bool:
    try:
        address = ipaddress.ip_address(server)
    except ValueError:
        return False
    return address.version == 4 and not address.is_loopback
