"""The container that this process runs in, and the options of its engine that let a testbed work there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Container:
    """A container, by the engine that started it: ``docker``, ``podman``, or another one's word for itself.

    The options are those of docker/podman-run(1); another engine has settings of the same names.
    """

    engine: str

    @property
    def device(self) -> str:
        """The option that gives it the TUN device."""
        return f"start the container with --device /dev/net/tun{self._note}"

    @property
    def calls(self) -> str:
        """The option that lets it make namespaces, which the filter of system calls refuses."""
        return f"start the container with --security-opt seccomp=unconfined{self._note}"

    @property
    def mounts(self) -> str:
        """The option that lets it mount in its namespaces, which AppArmor or SELinux refuses."""
        words = "label=disable" if self.engine == "podman" else "apparmor=unconfined"
        return f"start the container with --security-opt {words}{self._note}"

    @property
    def settings(self) -> str:
        """The option that lets it write to /proc/sys/net of its own networks."""
        words = "unmask=ALL" if self.engine == "podman" else "systempaths=unconfined"
        return f"start the container with --security-opt {words}{self._note}"

    @property
    def _note(self) -> str:
        return "" if self.engine in ("docker", "podman") else " (or what does the same)"


def current(root: Path = Path("/"), variables: Mapping[str, str] = os.environ) -> Container | None:
    """Return the container around this process, None if there is no sign of one."""
    if (root / "run" / ".containerenv").exists():
        return Container("podman")
    if (root / ".dockerenv").exists() and _has_mounted_hosts(root):
        return Container("docker")
    named = variables.get("container") or ("kubernetes" if "KUBERNETES_SERVICE_HOST" in variables else "")
    return Container(named) if named else None


def _has_mounted_hosts(root: Path) -> bool:
    """Return whether /etc/hosts is a mount, as in docker's containers; an image that became a machine has a file."""
    try:
        lines = (root / "proc" / "self" / "mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return any(line.split()[4:5] == ["/etc/hosts"] for line in lines)
