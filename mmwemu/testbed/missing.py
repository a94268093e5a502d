"""Errors for what ``mmwemu-link`` finds missing, with the way to get it."""

from __future__ import annotations

import os
from collections.abc import Callable

from mmwemu.core.errors import MissingError
from mmwemu.testbed.kernel import namespace_switch, read_sysctl

_CONTAINER = "in a container, start it with --device /dev/net/tun and with permission to make namespaces"


def missing_error(kind: str, text: str, *, sysctl: Callable[[str], str | None] = read_sysctl) -> MissingError:
    """Return the error for a thing that is missing: tun, tun-access, namespaces, netem or tbf."""
    if kind == "netem":
        remedy = "get it with: sudo modprobe sch_netem, or use --backend tun, or --delay-ms 0 if the pattern needs none"
        return MissingError(f"this kernel has no netem, which backend tc needs for {text}", remedy)
    if kind == "tbf":
        remedy = "get it with: sudo modprobe sch_tbf, or use --backend tun"
        return MissingError(f"this kernel has no tbf, which backend tc needs for {text}", remedy)
    if kind == "tun":
        return MissingError(f"no TUN device: {text}", f"load it with: sudo modprobe tun; {_CONTAINER}")
    if kind == "tun-access":
        remedy = _CONTAINER if os.geteuid() == 0 else "allow it with: sudo chmod 0666 /dev/net/tun"
        return MissingError(f"no access to the TUN device: {text}", remedy)
    switch = namespace_switch(sysctl)
    if switch is not None:
        what = f"namespaces are switched off: {switch.name} = {switch.value} ({text})"
        return MissingError(what, f"allow them with: {switch.remedy}")
    remedy = _CONTAINER if os.geteuid() == 0 else f"run as root; {_CONTAINER}"
    return MissingError(f"namespaces cannot be made: {text}", remedy)
