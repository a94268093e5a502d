"""Errors for what ``mmwemu-link`` finds missing, with the way to get it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from mmwemu.core.errors import MissingError
from mmwemu.testbed import container
from mmwemu.testbed.container import Container
from mmwemu.testbed.kernel import namespace_switch, read_sysctl

_CONTAINER = "in a container, start it with --device /dev/net/tun and with permission to make namespaces"


def missing_error(
    kind: str,
    text: str,
    *,
    sysctl: Callable[[str], str | None] = read_sysctl,
    inside: Callable[[], Container | None] = container.current,
) -> MissingError:
    """Return the error for a thing that is missing: tun, tun-access, namespaces, netem or tbf."""
    if kind == "netem":
        remedy = "get it with: sudo modprobe sch_netem, or use --backend tun, or --delay-ms 0 if the pattern needs none"
        return MissingError(f"this kernel has no netem, which backend tc needs for {text}", remedy)
    if kind == "tbf":
        remedy = "get it with: sudo modprobe sch_tbf, or use --backend tun"
        return MissingError(f"this kernel has no tbf, which backend tc needs for {text}", remedy)
    if kind in ("tun", "tun-access"):
        what = "no TUN device" if kind == "tun" else "no access to the TUN device"
        return MissingError(f"{what}: {text}", tun_remedy(inside(), exists=kind == "tun-access", text=text))
    switch = namespace_switch(sysctl)
    if switch is not None:
        what = f"namespaces are switched off: {switch.name} = {switch.value} ({text})"
        where = "on the computer around this container, " if inside() else ""
        return MissingError(what, f"{where}allow them with: {switch.remedy}")
    return MissingError(f"namespaces cannot be made: {text}", namespaces_remedy(inside(), text))


def tun_remedy(around: Container | None, *, exists: bool, text: str = "") -> str:
    """Return how to get the TUN device, in the words for the container around, if any.

    Parameters
    ----------
    exists
        Whether the device is there, but not for this user.
    text
        The kernel's words.
    """
    # A container's engine refuses devices with EPERM, the device's mode with EACCES.
    if around is not None and not (exists and os.strerror(errno.EACCES) in text):
        return around.device
    if around is not None:
        return "on the computer around this container, allow it with: sudo chmod 0666 /dev/net/tun"
    if not exists:
        return f"load it with: sudo modprobe tun; {_CONTAINER}"
    return _CONTAINER if os.geteuid() == 0 else "allow it with: sudo chmod 0666 /dev/net/tun"


def namespaces_remedy(around: Container | None, text: str) -> str:
    """Return how to be allowed to make namespaces; ``text`` has the call that failed and the kernel's words."""
    if around is not None:
        return around.mounts if "mount" in text else around.calls
    return _CONTAINER if os.geteuid() == 0 else f"run as root; {_CONTAINER}"
