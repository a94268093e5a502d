"""The requirements of a testbed on a machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from mmwemu.core import process
from mmwemu.core.errors import MissingError
from mmwemu.core.requirements import Requirement, first_line, own_program, requirement, tool
from mmwemu.testbed import container
from mmwemu.testbed.kernel import namespace_switch, read_sysctl
from mmwemu.testbed.missing import namespaces_remedy
from mmwemu.testbed.proxies import interception

_QDISCS = {"tbf": "root tbf rate 1mbit burst 5kb latency 10ms", "netem": "root netem delay 1ms"}
_QDISC_USES = {"tbf": "--backend tc", "netem": "--backend tc with delay or loss"}


def examine() -> list[Requirement]:
    """Look at everything that a testbed can use, the required first; takes about a second and changes nothing."""
    return [
        _user_namespaces(),
        _tun(),
        _network_settings(),
        own_program("mmwemu-link", "link, run, demo"),
        *(_congestion_control(name) for name in ("cubic", "reno", "bbr")),
        *(_qdisc(name) for name in _QDISCS),
        tool("nft", "link --outside, --edge-proxy", "nftables"),
        _interception(),
        tool("haproxy", "--edge-proxy haproxy", "haproxy", "-v"),
        tool("pasta", "link --outside without root", "passt"),
        tool("slirp4netns", "link --outside without root", "slirp4netns"),
    ]


def _interception() -> Requirement:
    """Try the rules that lead connections to a proxy in a network that lives no longer than this."""
    what, needed = "TPROXY", "--edge-proxy"
    try:
        nft = process.find_tool("nft", "")
    except MissingError:
        return requirement(what, needed, None, "sudo apt-get install nftables", absent="no nft to ask with")
    enter = ["unshare", "--user", "--map-root-user", "--net"]
    works, words = first_line([*enter, nft, interception.rules(["192.0.2.1"], port=1)])
    return requirement(what, needed, "in the kernel" if works else None, interception.MODULES, absent=words)


def _user_namespaces() -> Requirement:
    what, needed = "user namespaces", "link, run, demo"
    works, words = first_line(["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "true"])
    if works:
        warning = "; programs inside have root's rights on files" if os.geteuid() == 0 else ""
        return requirement(what, needed, f"work{warning}", "", required=True)
    switch, around = namespace_switch(), container.current()
    if switch is not None:
        absent = f"{switch.name} is {switch.value}"
        return requirement(what, needed, None, switch.remedy, required=True, absent=absent)
    remedy = "allow user namespaces" if around is None else namespaces_remedy(around, words)
    return requirement(what, needed, None, remedy, required=True, absent=words)


def _tun() -> Requirement:
    what, needed, device = "TUN device", "link, run, demo", Path("/dev/net/tun")
    if not device.exists():
        remedy = "sudo modprobe tun" if (around := container.current()) is None else around.device
        return requirement(what, needed, None, remedy, required=True, absent=f"{device} does not exist")
    if not os.access(device, os.R_OK | os.W_OK):
        return requirement(what, needed, None, f"sudo chmod 0666 {device}", required=True, absent="it is not yours")
    return requirement(what, needed, str(device), "", required=True)


def settings_note() -> str:
    """Return what it means that this system keeps the settings of networks closed, empty if it does not."""
    if not _settings_are_closed():
        return ""
    around = container.current()
    remedy = "make /proc/sys writable" if around is None else around.settings
    return (
        "/proc/sys cannot be written here: TCP keeps the kernel's windows and what it learnt in earlier runs, "
        f"so results may differ; {remedy}"
    )


def _network_settings() -> Requirement:
    what, needed = "network settings", "TCP windows, independent runs"
    if not _settings_are_closed():
        return requirement(what, needed, "can be written", "")
    around = container.current()
    remedy = "make /proc/sys writable" if around is None else around.settings
    return requirement(what, needed, None, remedy, absent="/proc/sys is read-only")


def _settings_are_closed() -> bool:
    """Return whether /proc/sys is mounted read-only, as container engines do; a network of one's own has no other."""
    try:
        return bool(os.statvfs("/proc/sys/net/ipv4").f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _congestion_control(name: str) -> Requirement:
    available = (read_sysctl("net.ipv4.tcp_available_congestion_control") or "").split()
    detail = "in the kernel" if name in available else None
    return requirement(f"TCP {name}", "--cc", detail, f"sudo modprobe tcp_{name}", required=name == "cubic")


def _qdisc(name: str) -> Requirement:
    """Try a qdisc on the loopback device of a namespace that lives no longer than this."""
    enter = ["unshare", "--user", "--map-root-user", "--net"]
    what, needed = f"qdisc {name}", _QDISC_USES[name]
    if shutil.which("unshare") is None:
        return requirement(what, needed, None, "sudo apt-get install util-linux")
    try:
        tc = process.find_tool("tc", "")
    except MissingError:
        return requirement(what, needed, None, "sudo apt-get install iproute2", absent="no tc to ask with")
    works, words = first_line([*enter, tc, "qdisc", "add", "dev", "lo", *_QDISCS[name].split()])
    return requirement(what, needed, "in the kernel" if works else None, f"sudo modprobe sch_{name}", absent=words)
