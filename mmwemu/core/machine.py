"""What this machine can do, and the command that mends each gap."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mmwemu.core import paths, process
from mmwemu.core.errors import MissingError
from mmwemu.core.kernel import namespace_switch, read_sysctl


@dataclass(frozen=True)
class Finding:
    """One thing looked for.

    Attributes
    ----------
    what
        Its name.
    needed_for
        What cannot be done without it.
    required
        Whether the main job needs it.
    found
        Whether it is there.
    detail
        Version, value or reason.
    remedy
        The command that mends its absence, empty when it is there.
    """

    what: str
    needed_for: str
    required: bool
    found: bool
    detail: str
    remedy: str


_QDISCS = {"tbf": "root tbf rate 1mbit burst 5kb latency 10ms", "htb": "root htb", "netem": "root netem delay 1ms",
           "fq": "root fq", "codel": "root codel", "fq_codel": "root fq_codel", "pie": "root pie"}  # fmt: skip
_TC_USES = {"tbf": "", "netem": " with delay or loss"}
_TIMEOUT_S = 10


def examine() -> list[Finding]:
    """Look at everything mmwemu can use, the required first; takes about a second and changes nothing."""
    findings = [_user_namespaces(), _tun()]
    findings += [_own_program("mmwemu-cell", "simulate"), _own_program("mmwemu-link", "link, run, demo")]
    findings += [
        _tool("nginx", "run download, demo", "nginx-light", ["-v"]),
        _tool("curl", "run download, demo", "curl"),
    ]
    findings += [_congestion_control(name) for name in ("cubic", "reno", "bbr")]
    findings += [_qdisc(name) for name in _QDISCS]
    findings += [
        _tool("iperf3", "run flow", "iperf3", required=False),
        _tool("ping", "run flow", "iputils-ping", ["-V"], required=False),
        _tool("nft", "link --outside", "nftables", required=False),
        _tool("pasta", "link --outside without root", "passt", required=False),
        _tool("slirp4netns", "link --outside without root", "slirp4netns", required=False),
        _tool("node", "run web, run stream", "nodejs npm", required=False),
        _browser(),
        _tool("openssl", "run web", "openssl", ["version"], required=False),
        _modules(),
        _tool("caddy", "run web --protocol h3", "caddy", ["version"], required=False),
        _mitmproxy(),
        _tool("ffmpeg", "run stream", "ffmpeg", ["-version"], required=False),
        _tool("g++", "building from source", "g++", required=False),
        _tool("cmake", "building from source", "cmake", required=False),
    ]
    return findings


def _finding(
    what: str, needed_for: str, required: bool, detail: str | None, remedy: str, absent: str = "not there"
) -> Finding:
    found = detail is not None
    return Finding(what, needed_for, required, found, detail if detail is not None else absent, "" if found else remedy)


def _words(argv: list[str]) -> tuple[bool, str]:
    """Run a short program; gives whether it exited with 0 and its first line."""
    try:
        done = process.run(argv, timeout_s=_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    lines = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()
    return done.returncode == 0, lines[0] if lines else ""


def _tool(what: str, needed_for: str, package: str, version: list[str] | None = None, required: bool = True) -> Finding:
    try:
        path = process.find_tool(what, "")
    except MissingError:
        return _finding(what, needed_for, required, None, f"sudo apt-get install {package}")
    return _finding(what, needed_for, required, _words([path, *(version or ["--version"])])[1], "")


def _browser() -> Finding:
    for name in paths.BROWSERS:
        found = _tool(name, "run web, run stream", name, required=False)
        if found.found:
            return found
    return _tool(
        paths.BROWSERS[0], "run web, run stream", f"{paths.BROWSERS[0]} (or {paths.BROWSERS[1]})", required=False
    )


def _modules() -> Finding:
    folder = paths.web_modules()
    there = folder is not None and (folder / paths.WEB_MODULES_WHOLE).exists()
    return _finding("web modules", "run web, run stream", False, "installed" if there else None, "mmwemu web setup")


def _mitmproxy() -> Finding:
    # Its version takes it seconds to say.
    path = shutil.which("mitmdump")
    return _finding("mitmproxy", "site record", False, path, "pipx install mitmproxy")


def _own_program(name: str, needed_for: str) -> Finding:
    try:
        return _finding(name, needed_for, True, str(paths.program(name).name), "")
    except MissingError as error:
        return _finding(name, needed_for, True, None, error.remedy)


def _user_namespaces() -> Finding:
    needed = "link, run, demo without root"
    works, words = _words(["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "true"])
    if works:
        return _finding("user namespaces", needed, True, "work", "")
    switch = namespace_switch()
    if switch is not None:
        return _finding("user namespaces", needed, True, None, switch.remedy, f"{switch.name} is {switch.value}")
    if os.geteuid() == 0:
        return _finding("user namespaces", needed, False, None, "not needed as root", words)
    return _finding("user namespaces", needed, True, None, "run as root, or allow user namespaces", words)


def _tun() -> Finding:
    needed = "link, run, demo"
    device = Path("/dev/net/tun")
    if not device.exists():
        return _finding("TUN device", needed, True, None, "sudo modprobe tun", "/dev/net/tun does not exist")
    if not os.access(device, os.R_OK | os.W_OK):
        return _finding("TUN device", needed, True, None, "sudo chmod 0666 /dev/net/tun", "/dev/net/tun is not yours")
    return _finding("TUN device", needed, True, str(device), "")


def _congestion_control(name: str) -> Finding:
    available = (read_sysctl("net.ipv4.tcp_available_congestion_control") or "").split()
    detail = "in the kernel" if name in available else None
    return _finding(f"TCP {name}", "--cc", name == "cubic", detail, f"sudo modprobe tcp_{name}")


def _qdisc(name: str) -> Finding:
    """Try a qdisc on the loopback device of a namespace that lives no longer than this."""
    enter = ["unshare", "--user", "--map-root-user", "--net"]
    needed = f"--backend tc{_TC_USES.get(name, ' (nothing yet)')}"
    if shutil.which("unshare") is None:
        return _finding(f"qdisc {name}", needed, False, None, "sudo apt-get install util-linux")
    try:
        tc = process.find_tool("tc", "")
    except MissingError:
        return _finding(f"qdisc {name}", needed, False, None, "sudo apt-get install iproute2", "no tc to ask with")
    works, words = _words([*enter, tc, "qdisc", "add", "dev", "lo", *_QDISCS[name].split()])
    return _finding(
        f"qdisc {name}", needed, False, "in the kernel" if works else None, f"sudo modprobe sch_{name}", words
    )
