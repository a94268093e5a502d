"""Settings of the running kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Switch:
    """A setting that stands in the way: its name, its value here, and the value that lets us pass."""

    name: str
    value: str
    good: str

    @property
    def remedy(self) -> str:
        """The command that sets the good value."""
        return f"sudo sysctl -w {self.name}={self.good}"


# Settings that keep ordinary users from making namespaces, with the value that does so and the one that does not.
_NAMESPACE_SWITCHES = (
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    ("user.max_user_namespaces", "0", "15000"),
    ("user.max_net_namespaces", "0", "15000"),
)


def read_sysctl(name: str) -> str | None:
    """Return the value of a kernel setting, None if this kernel does not have it."""
    try:
        return Path("/proc/sys", name.replace(".", "/")).read_text(encoding="ascii").strip()
    except OSError:
        return None


def namespace_switch(sysctl: Callable[[str], str | None] = read_sysctl) -> Switch | None:
    """Return the first setting that keeps ordinary users from making namespaces, None if there is none."""
    for name, bad, good in _NAMESPACE_SWITCHES:
        if sysctl(name) == bad:
            return Switch(name, bad, good)
    return None
